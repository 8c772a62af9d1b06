// SPDX-License-Identifier: MIT
// Tests that what a shipped game links includes no library of tools: each library's sources, and all that they include
// of the tree, include only the headers from outside that engine/CMakeLists.txt gives it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace {

namespace fs = std::filesystem;

const fs::path kRoot(PELT_SOURCE);

// Returns the public headers of the tree as they are included, with their files.
std::map<std::string, fs::path> public_headers() {
  std::map<std::string, fs::path> headers;
  for (const char* top : {"engine", "runtime", "shaders"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / top)) {
      const std::string file = entry.path().generic_string();
      const std::size_t inside = file.find("/include/");
      if (inside != std::string::npos) headers[file.substr(inside + 9)] = entry.path();
    }
  }
  return headers;
}

// Returns every file that these include, directly or indirectly, and that is not in the tree or the standard library:
// "folder/header by file", where the file is in the tree.
std::vector<std::string> included_from_outside(std::deque<fs::path> files) {
  const std::map<std::string, fs::path> headers = public_headers();
  const std::regex include("# *include [<\"]([^>\"]+)[>\"]");
  std::set<fs::path> seen(files.begin(), files.end());
  std::vector<std::string> outside;
  while (!files.empty()) {
    const fs::path file = files.front();
    files.pop_front();
    const std::string text = pelt::test::file_text(file);
    for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
      const std::string name = (*match)[1];
      fs::path found = kRoot / name;
      if (!fs::exists(found)) found = (file.parent_path() / name).lexically_normal();
      if (const auto header = headers.find(name); header != headers.end()) found = header->second;
      if (fs::exists(found)) {
        if (seen.insert(found).second) files.push_back(found);
      } else if (name.find('/') != std::string::npos || name.ends_with(".h") || name.ends_with(".hpp")) {
        outside.push_back(name + " by " + fs::relative(file, kRoot).generic_string());
      }
    }
  }
  return outside;
}

// Returns the sources that the lists sources.cmake give to a library.
std::deque<fs::path> sources_of(const std::string& library) {
  std::deque<fs::path> sources;
  const std::regex block("pelt_folder\\(" + library + "([^)]*)\\)");
  const std::regex source("[a-z0-9_/]+\\.cpp");
  for (const fs::directory_entry& folder : fs::directory_iterator(kRoot / "engine")) {
    const std::string text = pelt::test::file_text(folder.path() / "sources.cmake");
    for (std::sregex_iterator folder_call(text.begin(), text.end(), block), end; folder_call != end; ++folder_call) {
      const std::string list = (*folder_call)[1];
      for (std::sregex_iterator match(list.begin(), list.end(), source); match != end; ++match) {
        sources.push_back(folder.path() / (*match)[0].str());
      }
    }
  }
  return sources;
}

std::vector<std::string> foreign(const std::deque<fs::path>& files, const std::string& allowed) {
  const std::regex known("^((" + allowed +
                         "|glm|tl|pelt)/|pelt_runtime_shaders\\.h|xxhash\\.h|"
                         "(stddef|stdint|unistd|strings|dlfcn|fcntl|io|windows|sys/mman|sys/stat)\\.h).*");
  std::vector<std::string> others;
  for (const std::string& include : included_from_outside(files)) {
    if (!std::regex_match(include, known)) others.push_back(include);
  }
  return others;
}

TEST(LightLibraries, CharacterIncludesNoLibraryOfTools) {
  std::deque<fs::path> sources = sources_of("character");
  ASSERT_GT(sources.size(), 30u);
  sources.push_back(kRoot / "engine/kernels.cpp");
  EXPECT_THAT(foreign(sources, "glm"), testing::IsEmpty());
}

TEST(LightLibraries, RuntimeIncludesVulkanToo) {
  std::deque<fs::path> sources;
  for (const char* folder : {"runtime", "runtime/c"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / folder)) {
      // What binds is compiled where authoring is, and the shaders' header is made while building.
      if (entry.path().extension() == ".cpp" && entry.path() != kRoot / "runtime/c/authoring.cpp") {
        sources.push_back(entry.path());
      }
    }
  }
  ASSERT_GT(sources.size(), 20u);
  EXPECT_THAT(foreign(sources, "vulkan|shaders"), testing::IsEmpty());
}

TEST(LightLibraries, EvaluationIncludesHighwayToo) {
  EXPECT_THAT(foreign(sources_of("evaluation"), "hwy"), testing::IsEmpty());
  EXPECT_THAT(foreign(sources_of("evaluation"), "glm"), testing::Contains(testing::StartsWith("hwy/highway.h by ")));
}

TEST(LightLibraries, GlbIncludesJsonToo) { EXPECT_THAT(foreign(sources_of("glb"), "nlohmann"), testing::IsEmpty()); }

}  // namespace
