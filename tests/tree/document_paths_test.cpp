// SPDX-License-Identifier: MIT
// Tests that documents name files of the tree that exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace {

namespace fs = std::filesystem;

// Returns the paths from the root that a document has in backquotes, but those with a word in capitals for a name.
std::vector<std::string> paths_in(const std::string& text) {
  const std::regex quoted("`((?:engine|shaders|runtime|samples|tests|cmake|docs)/[a-z0-9_./-]+)`");
  std::vector<std::string> paths;
  for (std::sregex_iterator match(text.begin(), text.end(), quoted), end; match != end; ++match) {
    paths.push_back((*match)[1]);
  }
  return paths;
}

TEST(DocumentPaths, AreFound) {
  EXPECT_THAT(paths_in("In `engine/core/try.h`, not `shaders/KERNEL/pose.h` or `pelt info`, and `docs/`."),
              testing::ElementsAre("engine/core/try.h"));
}

TEST(DocumentPaths, Exist) {
  const fs::path root(PELT_SOURCE);
  std::vector<fs::path> documents{root / "README.md", root / "CONTRIBUTING.md"};
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  }
  std::size_t count = 0;
  for (const fs::path& document : documents) {
    for (const std::string& path : paths_in(pelt::test::file_text(document))) {
      ++count;
      EXPECT_TRUE(fs::exists(root / path)) << document << " names " << path;
    }
  }
  EXPECT_GT(count, 50u);
}

}  // namespace
