// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/authoring/skeletonize/joints.h"
#include "engine/authoring/skeletonize/trace.h"
#include "engine/authoring/skeletonize/voxels.h"

namespace pelt::skeletonize {

// Returns for every point (model space) the joint of the traced point that is nearest along paths inside the surface:
// the flank belongs to the trunk, however near the arm is. Points outside belong to the nearest inside voxel.
std::vector<std::uint32_t> joints_of(std::span<const glm::vec3> points, const Traced& traced, const JointPlan& plan,
                                     const Voxels& voxels);

}  // namespace pelt::skeletonize
