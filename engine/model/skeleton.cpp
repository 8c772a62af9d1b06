// SPDX-License-Identifier: MIT
#include <pelt/skeleton.h>

namespace pelt {

std::optional<std::uint32_t> Skeleton::find(std::string_view name) const {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].name == name) return static_cast<std::uint32_t>(j);
  }
  return std::nullopt;
}

}  // namespace pelt
