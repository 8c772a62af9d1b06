// SPDX-License-Identifier: MIT
#include "engine/authoring/model/beside.h"

#include <algorithm>
#include <cctype>
#include <system_error>

namespace pelt {

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

const char* why_not_beside(const std::string& name) {
  if (name.empty()) return "is empty";
  if (name.find('\0') != std::string::npos) return "contains a zero byte";
  if (name.find(':') != std::string::npos) return "has a scheme other than data:";
  std::string slashed = name;
  std::ranges::replace(slashed, '\\', '/');
  const std::filesystem::path portable(slashed);
  const bool leaves = portable.is_absolute() || std::ranges::find(portable, "..") != portable.end();
  return leaves ? "leaves the folder" : nullptr;
}

const char* why_not_beside([[maybe_unused]] const std::filesystem::path& folder, const std::string& name,
                           NamedFiles files) {
  if (const char* wrong = why_not_beside(name)) return wrong;
  if (files == NamedFiles::kNone) return "is not read, as no other file is";
  if (files == NamedFiles::kAnywhere) return nullptr;
#ifdef _LIBCPP_HAS_NO_FILESYSTEM
  return "is not read, since there are no files";
#else
  std::error_code code;
  const std::filesystem::path from = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, code);
  if (code) return "leads out of a folder that cannot be found";
  const std::filesystem::path to = std::filesystem::weakly_canonical(from / name, code);
  const auto [differs, left] = std::mismatch(from.begin(), from.end(), to.begin(), to.end());
  return code || differs != from.end() ? "leads out of the folder by a symbolic link" : nullptr;
#endif
}

}  // namespace pelt
