// SPDX-License-Identifier: MIT
#include "tests/support/shared_files.h"

#include <algorithm>
#include <iterator>

namespace pelt::test {

std::optional<std::filesystem::path> shared_folder() {
  const char* folder = std::getenv("PELT_SHARED");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  return std::filesystem::path(folder);
}

std::vector<std::filesystem::path> shared_files(const std::filesystem::path& folder,
                                                const std::vector<std::string>& extensions) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*shared_folder() / folder)) {
    const std::string extension = entry.path().extension().string();
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  EXPECT_FALSE(files.empty()) << folder << " holds no files";
  return files;
}

std::vector<std::filesystem::path> character_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"assets/characters", "assets/ordinary"}) {
    std::ranges::copy(shared_files(folder, {".gltf", ".glb"}), std::back_inserter(files));
  }
  return files;
}

}  // namespace pelt::test
