// SPDX-License-Identifier: MIT
// Tests that every test that CTest runs knows how a program skips: one made by a bare add_test fails by exit 77.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace {

namespace fs = std::filesystem;

bool is_of_cmake(const fs::path& file) { return file.filename() == "CMakeLists.txt" || file.extension() == ".cmake"; }

TEST(CommandTests, AreMadeByOneFunction) {
  const fs::path root(PELT_SOURCE);
  const std::regex made("(^|\\n)[ \\t]*add_test\\(");
  std::vector<std::string> files;
  for (const char* folder : {"cmake", "engine", "runtime", "samples", "shaders", "tests"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!is_of_cmake(entry.path())) continue;
      const std::string text = pelt::test::file_text(entry.path());
      for (std::sregex_iterator match(text.begin(), text.end(), made), end; match != end; ++match) {
        files.push_back(entry.path().lexically_relative(root).generic_string());
      }
    }
  }
  // In pelt_command_test.
  EXPECT_THAT(files, testing::ElementsAre("tests/CMakeLists.txt"));
}

}  // namespace
