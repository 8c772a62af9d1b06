// SPDX-License-Identifier: MIT
#include "engine/model/beside.h"

#include <algorithm>
#include <filesystem>

namespace pelt {

const char* why_not_beside(const std::string& name) {
  if (name.empty()) return "is empty";
  if (name.find('\0') != std::string::npos) return "holds a zero byte";
  if (name.find(':') != std::string::npos) return "has a scheme other than data:";
  std::string slashed = name;
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  const std::filesystem::path portable(slashed);
  const bool leaves = portable.is_absolute() || std::find(portable.begin(), portable.end(), "..") != portable.end();
  return leaves ? "leaves the model's folder" : nullptr;
}

}  // namespace pelt
