// SPDX-License-Identifier: MIT
// From traced points to joints: where limbs part, where they leave the trunk, where they bend, and at their ends.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <string>
#include <vector>

#include "engine/skeletonize/trace.h"

namespace pelt::skeletonize {

struct PlannedJoint {
  std::string name;          // unique
  std::int32_t parent = -1;  // lower than its own index
  glm::dvec3 position{0};    // of a traced point, voxel units
  bool end = false;          // of a limb: moves no skin
};

struct JointPlan {
  std::vector<PlannedJoint> joints;     // one root, the first
  std::vector<std::uint32_t> joint_of;  // of every traced point the joint that moves what is round it
  std::size_t junctions = 0;            // joints from which three or more limbs go
  std::size_t ends = 0;                 // joints at ends of limbs
};

// The root is the junction (of a tree without one the point) of the largest piece from which the way to the farthest
// end is shortest. That of another piece hangs from the nearest joint of an earlier one. A bone is at most
// `bone_length` mean radii of its limb long, and within a limb none is shorter than `least` voxels.
JointPlan plan_joints(const Traced& traced, double bone_length, double least);

}  // namespace pelt::skeletonize
