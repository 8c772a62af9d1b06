// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace pelt {

// Makes names unique: "arm", "arm#2", "arm#3".
class UniqueNames {
 public:
  std::string claim(const std::string& name) {
    std::uint32_t& uses = uses_.try_emplace(name, 1).first->second;
    std::string candidate = name;
    while (!claimed_.insert(candidate).second) candidate = fmt::format("{}#{}", name, ++uses);
    return candidate;
  }

 private:
  std::unordered_set<std::string> claimed_;
  std::unordered_map<std::string, std::uint32_t> uses_;
};

}  // namespace pelt
