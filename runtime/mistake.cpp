// SPDX-License-Identifier: MIT
#include "runtime/mistake.h"

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace pelt::runtime {
namespace {

std::atomic<MistakeFunction> mistake_function = nullptr;

void print_and_abort([[maybe_unused]] const char* sentence) {
#ifndef NDEBUG
  std::fprintf(stderr, "pelt: %s\n", sentence);
  std::abort();
#endif
}

}  // namespace

void on_mistake(MistakeFunction function) { mistake_function = function; }

void report_mistake(const char* format, ...) {
  std::array<char, 256> sentence{};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(sentence.data(), sentence.size(), format, arguments);
  va_end(arguments);
  const MistakeFunction function = mistake_function;
  (function != nullptr ? function : print_and_abort)(sentence.data());
}

}  // namespace pelt::runtime
