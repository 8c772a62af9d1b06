// SPDX-License-Identifier: MIT
// Traverses a skeleton, whose joints come after their parents.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <vector>

#include <pelt/skeleton.h>

namespace pelt {

// Returns the nearest joint above `joint` for which is(joint) is true.
template <class Is>
std::optional<std::uint32_t> find_above(const Skeleton& skeleton, std::size_t joint, const Is& is) {
  auto above = skeleton.parent_of(joint);
  while (above && !is(*above)) above = skeleton.parent_of(*above);
  return above;
}

// Returns true if a joint is below another, at any depth.
inline bool hangs_below(const Skeleton& skeleton, std::uint32_t joint, std::uint32_t above) {
  return find_above(skeleton, joint, [&](std::uint32_t j) { return j <= above; }) == above;
}

// Returns the children of each joint, ascending.
std::vector<std::vector<std::uint32_t>> children_of_joints(const Skeleton& skeleton);

// Returns the number of joints above each joint.
std::vector<std::uint32_t> depths_of_joints(const Skeleton& skeleton);

// Returns the vector from a joint to the mean of its children, metres; without children, as far on from its parent in
// the same direction; 0 for a single joint. `position_of(joint)`: position, metres.
template <class PositionOf>
glm::vec3 bone_of(const Skeleton& skeleton, std::uint32_t joint, const PositionOf& position_of) {
  const glm::vec3 place = position_of(joint);
  glm::vec3 sum(0.0f);
  float children = 0;
  for (std::uint32_t j = joint + 1; j < skeleton.joints.size(); ++j) {
    if (skeleton.parent_of(j) != joint) continue;
    sum += position_of(j) - place;
    ++children;
  }
  if (children > 0) return sum / children;
  const auto parent = skeleton.parent_of(joint);
  return parent ? place - position_of(*parent) : sum;
}

}  // namespace pelt
