// SPDX-License-Identifier: MIT
// Plans joints from traced points: at junctions of limbs, at the borders of the trunk, at bends, and at ends of limbs.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <string>
#include <vector>

#include "engine/authoring/skeletonize/trace.h"

namespace pelt::skeletonize {

struct PlannedJoint {
  std::string name;          // unique
  std::int32_t parent = -1;  // smaller than its own index
  glm::dvec3 position{0};    // a traced point, voxel units
  bool end = false;          // an end of a limb, which moves no skin
};

struct JointPlan {
  std::vector<PlannedJoint> joints;     // the first is the only root
  std::vector<std::uint32_t> joint_of;  // for every traced point, the joint that moves the skin round it
  std::size_t junctions = 0;            // joints at which three or more limbs meet
  std::size_t ends = 0;                 // joints at ends of limbs
};

// Plans the joints. The root is the junction of the largest piece (in a tree without one, the point) with the shortest
// path to its farthest end. The root of another piece is a child of the nearest joint of an earlier one. A bone is at
// most `bone_length` mean radii of its limb long, and within a limb at least `least` voxels.
JointPlan plan_joints(const Traced& traced, double bone_length, double least);

}  // namespace pelt::skeletonize
