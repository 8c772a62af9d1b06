// SPDX-License-Identifier: MIT
// Tests that what documents name and link to exists: files of the tree, public headers, and headings of other pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
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

// Returns the public headers that a document has in backquotes, as they are included.
std::vector<std::string> headers_in(const std::string& text) {
  const std::regex quoted("`<?(pelt/[a-z0-9_/]+[.](?:h|list))>?`");
  std::vector<std::string> headers;
  for (std::sregex_iterator match(text.begin(), text.end(), quoted), end; match != end; ++match) {
    headers.push_back((*match)[1]);
  }
  return headers;
}

// Returns the text without its blocks of code.
std::string without_code(const std::string& text) {
  std::istringstream lines(text);
  std::string kept, line;
  for (bool code = false; std::getline(lines, line);) {
    if (line.starts_with("```")) code = !code;
    if (!code) kept += line + "\n";
  }
  return kept;
}

// Returns the targets of a document's links, but those of other sites.
std::vector<std::string> links_in(const std::string& text) {
  const std::regex link("\\]\\(([^)\\s]+)\\)"), elsewhere("[a-z]+:.*");
  std::vector<std::string> links;
  for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
    if (!std::regex_match((*match)[1].str(), elsewhere)) links.push_back((*match)[1]);
  }
  return links;
}

// Returns the name by which links find a heading: in small letters, with hyphens for spaces and without most signs.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : std::regex_replace(heading, std::regex("\\[([^\\]]*)\\]\\([^)]*\\)"), "$1")) {
    if (c == ' ') anchor += '-';
    if (c == '-' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0) {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return anchor;
}

std::set<std::string> anchors_in(const std::string& text) {
  std::set<std::string> anchors;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
    const std::string anchor = anchor_of(line.substr(level + 1));
    if (!anchors.insert(anchor).second) anchors.insert(anchor + "-1");
  }
  return anchors;
}

// Returns all documents but the changelog, which names files as they were called.
std::vector<fs::path> documents(const fs::path& root) {
  std::vector<fs::path> found{root / "README.md", root / "CONTRIBUTING.md", root / "SECURITY.md"};
  for (const char* folder : {"docs", "samples"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
  }
  return found;
}

TEST(DocumentPaths, AreFound) {
  EXPECT_THAT(paths_in("In `engine/core/try.h`, not `shaders/KERNEL/pose.h` or `pelt info`, and `docs/`."),
              testing::ElementsAre("engine/core/try.h"));
  EXPECT_THAT(headers_in("`pelt/rig.h` and `<pelt/runtime/crowd.h>`, not `engine/rig/rig.h`"),
              testing::ElementsAre("pelt/rig.h", "pelt/runtime/crowd.h"));
  EXPECT_THAT(links_in("[a](b.md#c), ![](d.png) and [e](https://f.g)"), testing::ElementsAre("b.md#c", "d.png"));
  EXPECT_THAT(anchors_in("# A heading: `x.y`\n#no\ntext\n## 2. [Which](b.md) one?\n"),
              testing::ElementsAre("2-which-one", "a-heading-xy"));
  EXPECT_EQ(without_code("a\n```sh\n# b\n```\nc\n"), "a\n```\nc\n");
}

TEST(DocumentPaths, Exist) {
  const fs::path root(PELT_SOURCE);
  std::set<std::string> headers;
  for (const char* top : {"engine", "runtime", "shaders"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string file = entry.path().generic_string();
      const std::size_t inside = file.find("/include/");
      if (inside != std::string::npos) headers.insert(file.substr(inside + 9));
    }
  }
  std::size_t count = 0;
  for (const fs::path& document : documents(root)) {
    const std::string text = pelt::test::file_text(document);
    for (const std::string& header : headers_in(text)) {
      EXPECT_TRUE(headers.contains(header)) << document << " names " << header;
    }
    // Documents of samples name files of their own folder, too.
    for (const std::string& path : paths_in(text)) {
      ++count;
      EXPECT_TRUE(fs::exists(root / path) || fs::exists(document.parent_path() / path))
          << document << " names " << path;
    }
  }
  EXPECT_GT(count, 50u);
}

TEST(DocumentLinks, LeadSomewhere) {
  const fs::path root(PELT_SOURCE);
  std::map<fs::path, std::set<std::string>> anchors;
  std::size_t count = 0;
  for (const fs::path& document : documents(root)) {
    for (const std::string& link : links_in(without_code(pelt::test::file_text(document)))) {
      ++count;
      const std::size_t mark = std::min(link.find('#'), link.size());
      const fs::path target = mark == 0 ? document : document.parent_path() / link.substr(0, mark);
      EXPECT_TRUE(fs::exists(target)) << document << " links to " << link;
      if (mark == link.size() || target.extension() != ".md" || !fs::exists(target)) continue;
      std::set<std::string>& known = anchors[fs::weakly_canonical(target)];
      if (known.empty()) known = anchors_in(without_code(pelt::test::file_text(target)));
      EXPECT_TRUE(known.contains(link.substr(mark + 1)))
          << document << " links to " << link << ", and there is no such heading";
    }
  }
  EXPECT_GT(count, 500u);
}

}  // namespace
