// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/samples/read_png.h"
#include "tests/support/program.h"

namespace pelt {
namespace {

TEST(Hello, MovesACharacter) {
  const test::TemporaryFolder folder;
  const test::Outcome outcome = test::run_program(PELT_HELLO, "builtin:limb", folder.path());
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, testing::HasSubstr(" of 10 instances moved on "));
  const std::optional<samples::Image> image = test::read_png(folder / "hello.png");
  ASSERT_TRUE(image);
  // The clay is redder than the backdrop, which is grey.
  std::size_t clay = 0;
  for (std::size_t i = 0; i < image->pixels.size(); i += 4)
    clay += image->pixels[i] > image->pixels[i + 2] + 15 ? 1 : 0;
  EXPECT_GT(clay, image->pixels.size() / 4 / 100);
  EXPECT_LT(clay, image->pixels.size() / 4 / 2);
  EXPECT_EQ(test::run_program(PELT_HELLO, "none.glb", folder.path()).status, 1);
}

// README.md shows the middle of the program as a game's code.
TEST(Hello, IsWhatTheReadmeShows) {
  const std::filesystem::path source = PELT_SOURCE;
  std::istringstream program(test::file_text(source / "samples/hello/hello.cpp"));
  std::string middle;
  bool inside = false;
  for (std::string line; std::getline(program, line);) {
    if (line == "  // [in a game]") {
      inside = !inside;
    } else if (inside) {
      middle += (line.empty() ? "" : line.substr(2)) + "\n";
    }
  }
  ASSERT_FALSE(inside);
  ASSERT_FALSE(middle.empty());
  EXPECT_LE(std::count(middle.begin(), middle.end(), '\n'), 24);
  EXPECT_THAT(test::file_text(source / "README.md"), testing::HasSubstr("```cpp\n" + middle + "```\n"));
}

}  // namespace
}  // namespace pelt
