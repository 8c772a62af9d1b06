// SPDX-License-Identifier: MIT
#include "engine/character/model/skeleton_walk.h"

namespace pelt {

std::optional<std::uint32_t> Skeleton::find(std::string_view name) const {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].name == name) return static_cast<std::uint32_t>(j);
  }
  return std::nullopt;
}

std::vector<std::vector<std::uint32_t>> children_of_joints(const Skeleton& skeleton) {
  std::vector<std::vector<std::uint32_t>> children(skeleton.joints.size());
  for (std::uint32_t j = 0; j < children.size(); ++j) {
    if (const auto parent = skeleton.parent_of(j)) children[*parent].push_back(j);
  }
  return children;
}

std::vector<std::uint32_t> depths_of_joints(const Skeleton& skeleton) {
  std::vector<std::uint32_t> depths(skeleton.joints.size(), 0);
  for (std::size_t j = 0; j < depths.size(); ++j) {
    if (const auto parent = skeleton.parent_of(j)) depths[j] = depths[*parent] + 1;
  }
  return depths;
}

}  // namespace pelt
