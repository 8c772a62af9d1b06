// SPDX-License-Identifier: MIT
#include "engine/model/skeleton.h"

#include <algorithm>

namespace pelt {

std::optional<std::uint32_t> Skeleton::find(std::string_view name) const {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].name == name) return static_cast<std::uint32_t>(j);
  }
  return std::nullopt;
}

std::vector<bool> patch_joints(const Skeleton& skeleton) {
  constexpr std::uint32_t kCrowd = 8;
  const std::size_t count = skeleton.joints.size();
  const auto parent_of = [&](std::size_t j) -> std::optional<std::size_t> {
    const std::int32_t parent = skeleton.joints[j].parent;
    return parent < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(parent));
  };
  std::vector<std::uint32_t> height(count, 0);  // of what hangs on the joint
  std::vector<std::uint32_t> childless(count, 0);
  for (std::size_t j = count; j-- > 0;) {
    if (const auto parent = parent_of(j)) {
      height[*parent] = std::max(height[*parent], height[j] + 1);
      if (height[j] == 0) ++childless[*parent];
    }
  }
  std::vector<bool> is_patch(count, false);
  for (std::size_t j = 0; j < count; ++j) {
    const auto parent = parent_of(j);
    if (!parent) continue;
    is_patch[j] = is_patch[*parent] || (childless[*parent] >= kCrowd && (height[j] <= 1 || childless[j] >= kCrowd));
  }
  return is_patch;
}

}  // namespace pelt
