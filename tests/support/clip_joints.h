// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <vector>

#include <pelt/pose.h>

namespace pelt::test {

// Returns the joint matrices of a clip at a time; of none, those at rest.
inline std::vector<glm::mat4> clip_joints(const Skeleton& skeleton, const Clip* clip, float seconds) {
  std::vector<Transform> local(skeleton.joints.size());
  rest_pose(skeleton, local);
  if (clip != nullptr) sample_clip(*clip, seconds, local);
  std::vector<glm::mat4> joints(local.size());
  model_matrices(skeleton, local, joints);
  return joints;
}

}  // namespace pelt::test
