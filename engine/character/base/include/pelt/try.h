// SPDX-License-Identifier: MIT
// Forwards errors: in a function that returns a Result, each macro returns the error of its expression, if there is
// one.
#pragma once

#include <utility>

#include <pelt/result.h>

// Evaluates a Result and discards its value: PELT_TRY(check(mesh));
#define PELT_TRY(...)                                                                                            \
  do {                                                                                                           \
    if (auto&& pelt_result = (__VA_ARGS__); !pelt_result) return tl::unexpected(std::move(pelt_result).error()); \
  } while (false)

// Declares or sets a variable with the value of a Result: PELT_ASSIGN(const auto bytes, read_file(path));
#define PELT_ASSIGN(variable, ...) PELT_ASSIGN_FROM(PELT_JOIN(pelt_result_, __LINE__), variable, __VA_ARGS__)
#define PELT_ASSIGN_FROM(result, variable, ...)                  \
  auto result = __VA_ARGS__;                                     \
  if (!result) return tl::unexpected(std::move(result).error()); \
  variable = *std::move(result)
#define PELT_JOIN(a, b) PELT_JOIN_EXPANDED(a, b)
#define PELT_JOIN_EXPANDED(a, b) a##b
