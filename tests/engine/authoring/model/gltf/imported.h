// SPDX-License-Identifier: MIT
// Accessors of an imported model, for tests.
#pragma once

#include <gtest/gtest.h>

#include <limits>

#include <pelt/pose.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"

namespace pelt {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

inline void expect_near(const glm::vec3& a, const glm::vec3& b, float tolerance = 1e-5f) {
  EXPECT_LE(glm::distance(a, b), tolerance)
      << a.x << ' ' << a.y << ' ' << a.z << " is not " << b.x << ' ' << b.y << ' ' << b.z;
}

inline std::vector<std::string> joint_names(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.skeleton.joints) names.push_back(joint.name);
  return names;
}

// Returns the position that linear blend gives a vertex.
inline glm::vec3 blended(const Model& model, const Mesh& mesh, std::size_t vertex,
                         const std::vector<glm::mat4>& matrices) {
  glm::vec4 sum(0.0f);
  for (const Influence& influence : mesh.weights.row(vertex)) {
    const BoundJoint& bound = model.bound_joints[influence.index];
    sum += influence.weight * (matrices[bound.joint] * bound.inverse_bind * glm::vec4(mesh.positions[vertex], 1.0f));
  }
  return sum;
}

// In the rest pose.
inline glm::vec3 at_rest(const Model& model, const Mesh& mesh, std::size_t vertex) {
  std::vector<glm::mat4> matrices(model.skeleton.joints.size());
  rest_matrices(model.skeleton, matrices);
  return blended(model, mesh, vertex, matrices);
}

// At a time of the only clip.
inline glm::vec3 at_time(const Model& model, const Mesh& mesh, std::size_t vertex, float seconds) {
  std::vector<Transform> local(model.skeleton.joints.size());
  std::vector<glm::mat4> matrices(local.size());
  rest_pose(model.skeleton, local);
  sample_clip(model.clips.at(0), seconds, local);
  model_matrices(model.skeleton, local, matrices);
  return blended(model, mesh, vertex, matrices);
}

}  // namespace pelt
