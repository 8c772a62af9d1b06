// SPDX-License-Identifier: MIT
// Tests that layers include only lower ones: no folder includes another that includes it, directly or indirectly.
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "tests/support/program.h"

namespace {

namespace fs = std::filesystem;

// The files of the tree that each source file includes, by paths from the root.
using Includes = std::map<std::string, std::vector<std::string>>;

// Returns the folder of a file; public headers, in include/pelt, belong to the folder above.
std::string folder_of(const std::string& file) {
  const std::size_t inside = file.find("/include/");
  return inside == std::string::npos ? fs::path(file).parent_path().generic_string() : file.substr(0, inside);
}

// Walks the folders' includes depth first.
class CycleFinder {
 public:
  explicit CycleFinder(const Includes& includes) {
    for (const auto& [file, included] : includes) {
      for (const std::string& other : included) {
        if (folder_of(file) != folder_of(other)) edges_[folder_of(file)].try_emplace(folder_of(other), file, other);
      }
    }
  }

  // A line "x.cpp includes y.h" for each step of a cycle of folders; empty: there is none.
  std::string find() {
    for (const auto& [folder, others] : edges_) {
      if (visit(folder)) return cycle_;
    }
    return {};
  }

 private:
  bool visit(const std::string& folder) {
    const auto open = std::find(path_.begin(), path_.end(), folder);
    if (open != path_.end()) {
      path_.push_back(folder);
      describe(static_cast<std::size_t>(open - path_.begin()));
      return true;
    }
    if (!visited_.insert(folder).second) return false;
    path_.push_back(folder);
    for (const auto& [other, step] : edges_[folder]) {
      if (visit(other)) return true;
    }
    path_.pop_back();
    return false;
  }

  void describe(std::size_t first) {
    for (std::size_t i = first; i + 1 < path_.size(); ++i) {
      const auto& [file, included] = edges_.at(path_[i]).at(path_[i + 1]);
      cycle_ += "\n  " + file + " includes " + included;
    }
  }

  // folder -> folder it includes -> a file that does, and the file that it includes
  std::map<std::string, std::map<std::string, std::pair<std::string, std::string>>> edges_;
  std::set<std::string> visited_;
  std::vector<std::string> path_;
  std::string cycle_;
};

bool is_source(const fs::path& file) {
  static const std::set<std::string> kinds{".c", ".cpp", ".h", ".inl", ".comp", ".vert", ".frag", ".glsl"};
  return kinds.contains(file.extension().string());
}

std::map<std::string, std::string> read_sources(const fs::path& root) {
  std::map<std::string, std::string> sources;
  for (const char* top : {"engine", "shaders", "runtime", "samples"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      sources[fs::relative(entry.path(), root).generic_string()] = pelt::test::file_text(entry.path());
    }
  }
  return sources;
}

// Returns the includes of all sources. They are relative to the root, to the including file's folder, or to an include
// folder of the tree.
Includes includes_of(const std::map<std::string, std::string>& sources) {
  std::map<std::string, std::string> public_headers;  // as they are included -> file
  for (const auto& [file, text] : sources) {
    const std::size_t inside = file.find("/include/");
    if (inside != std::string::npos) public_headers[file.substr(inside + 9)] = file;
  }
  const std::regex include("#include [<\"]([^>\"]+)[>\"]");
  Includes includes;
  for (const auto& [file, text] : sources) {
    for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
      const std::string name = (*match)[1];
      const std::string beside = (fs::path(file).parent_path() / name).lexically_normal().generic_string();
      if (const auto found = public_headers.find(name); found != public_headers.end()) {
        includes[file].push_back(found->second);
      } else if (sources.contains(name)) {
        includes[file].push_back(name);
      } else if (sources.contains(beside)) {
        includes[file].push_back(beside);
      }
    }
  }
  return includes;
}

TEST(IncludeCycles, AreNamed) {
  EXPECT_EQ(CycleFinder({{"a/a.cpp", {"a/a.h", "b/b.h"}}, {"b/b.h", {"c/include/pelt/c.h"}}}).find(), "");
  EXPECT_EQ(CycleFinder({{"a/a.cpp", {"b/b.h"}}, {"b/b.h", {"c/include/pelt/c.h"}}, {"c/c.cpp", {"b/other.h"}}}).find(),
            "\n  b/b.h includes c/include/pelt/c.h\n  c/c.cpp includes b/other.h");
}

TEST(IncludeCycles, AreNotInTheTree) {
  const Includes includes = includes_of(read_sources(PELT_SOURCE));
  ASSERT_GT(includes.size(), 400u);
  EXPECT_EQ(CycleFinder(includes).find(), "");
}

}  // namespace
