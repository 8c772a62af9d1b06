// SPDX-License-Identifier: MIT
// The known-answer cases and characters outside the repository: $PELT_SHARED.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

namespace pelt::test {

// Returns $PELT_SHARED, if it is set.
std::optional<std::filesystem::path> shared_folder();

// Returns the files below $PELT_SHARED/`folder` with one of the extensions, sorted; fails the test if there are none.
std::vector<std::filesystem::path> shared_files(const std::filesystem::path& folder,
                                                const std::vector<std::string>& extensions);

// Returns the glTF files of all characters: those chosen for Pelt, and ordinary public ones.
std::vector<std::filesystem::path> character_files();

// In CI nothing may be skipped.
inline bool skips_fail() { return std::getenv("CI") != nullptr; }

}  // namespace pelt::test

// Skips the test visibly; in CI fails it.
#define PELT_SKIP(reason)                                                  \
  do {                                                                     \
    if (pelt::test::skips_fail()) FAIL() << "skipped in CI: " << (reason); \
    GTEST_SKIP() << (reason);                                              \
  } while (false)

#define PELT_REQUIRE_SHARED() \
  if (!pelt::test::shared_folder()) PELT_SKIP("PELT_SHARED is not set")
