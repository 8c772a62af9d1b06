// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/program.h"

namespace pelt {
namespace {

TEST(Hello, MovesACharacter) {
  const test::TemporaryFolder folder;
  const test::Outcome outcome = test::run_program(PELT_HELLO, "builtin:limb", folder.path());
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, testing::HasSubstr(" of 10 instances moved on "));
  EXPECT_EQ(test::run_program(PELT_HELLO, "none.glb", folder.path()).status, 1);
}

// The life cycle that README.md shows is the middle of the program.
TEST(Hello, IsWhatTheReadmeShows) {
  const std::filesystem::path source = PELT_SOURCE;
  std::istringstream program(test::file_text(source / "samples/hello/hello.cpp"));
  std::string middle;
  bool inside = false;
  for (std::string line; std::getline(program, line);) {
    if (line == "  // [life cycle]") {
      inside = !inside;
    } else if (inside) {
      middle += (line.empty() ? "" : line.substr(2)) + "\n";
    }
  }
  ASSERT_FALSE(inside);
  ASSERT_FALSE(middle.empty());
  EXPECT_LE(std::count(middle.begin(), middle.end(), '\n'), 30);
  EXPECT_THAT(test::file_text(source / "README.md"), testing::HasSubstr("```cpp\n" + middle + "```\n"));
}

}  // namespace
}  // namespace pelt
