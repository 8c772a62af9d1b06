// SPDX-License-Identifier: MIT
// Skin that is bound to control points by pelt::bind, in poses.
#pragma once

#include <functional>
#include <glm/gtc/matrix_transform.hpp>
#include <numeric>

#include <pelt/evaluate.h>
#include <pelt/mos.h>

#include "engine/authoring/chain/chains.h"
#include "tests/support/driven.h"

namespace pelt::mos {

using Change = std::function<void(MosParameters&)>;

inline Rig by_mos(const Change& change = [](MosParameters&) {}) {
  MosParameters parameters;
  change(parameters);
  return test::rig_of(parameters);
}

inline constexpr MosStrategy kWithoutCage[] = {MosStrategy::kBSpline, MosStrategy::kInverseDistance,
                                               MosStrategy::kRadialBasis};

inline std::vector<glm::mat4> joints_at_bind(const Model& model) {
  std::vector<std::uint32_t> meshes(model.meshes.size());
  std::iota(meshes.begin(), meshes.end(), 0u);
  const std::vector<glm::dmat4> at_bind = chain::matrices_at_bind(model, meshes);
  return {at_bind.begin(), at_bind.end()};
}

// Returns the largest distance of a vertex of MOS from its position in the model, as a fraction of the size of the
// character, in the pose at bind.
inline double worst_at_bind(const Model& model, const Character& character) {
  Evaluator evaluator(character);
  evaluator.pose(joints_at_bind(model));
  evaluator.evaluate();
  double worst = 0;
  int meshes = 0;
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control || !mesh.deformer.starts_with("mos")) continue;
    ++meshes;
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      const glm::vec3 posed = evaluator.positions()[mesh.first_vertex + v];
      const double off = static_cast<double>(glm::distance(posed, mesh.binding.points[v]));
      worst = off <= worst ? worst : off;  // also if it is not a number
    }
  }
  EXPECT_GT(meshes, 0) << model.name;
  return worst / static_cast<double>(character.size());
}

// Evaluation in floats at a distance from the origin makes about 16 roundings of 6e-8.
inline constexpr double kRounding = 1e-6;

inline void expect_identity(const Model& model, const Rig& rig) {
  SCOPED_TRACE(model.name);
  EXPECT_LE(worst_at_bind(model, test::bound(model, rig).character), kRounding);
}

// Returns the positions of the model's first mesh.
inline std::vector<glm::vec3> posed(const Model& model, const Character& character, std::span<const glm::mat4> joints) {
  return test::posed(character, joints, model.meshes[0].name);
}

// Returns the joints at bind, with those from joint 1 on turned by `degrees` about an axis through it.
inline std::vector<glm::mat4> bent(const Model& model, float degrees, glm::vec3 axis = {0, 0, 1}) {
  std::vector<glm::mat4> joints = joints_at_bind(model);
  const glm::mat4 motion = test::turn_about(joints[1][3], degrees, axis);
  for (std::size_t j = 1; j < joints.size(); ++j) joints[j] = motion * joints[j];
  return joints;
}

// A tube with joints whose axes at bind are turned and scaled, and tangents that go round the tube.
inline Model turned_tube() {
  Model model = test::make_tube_in_cage({.joints = 3}, {.radius = 1.5f, .joints = 3});
  for (std::uint32_t j = 0; j < 3; ++j) {
    const float degrees[] = {10, 70, -140};
    const float scales[] = {1, 0.5f, 2};
    const glm::mat4 axes =
        glm::rotate(glm::mat4(scales[j]), glm::radians(degrees[j]), glm::normalize(glm::vec3(1, 2, -1)));
    const glm::vec3 at = -glm::vec3(model.bound_joints[j].inverse_bind[3]);
    model.bound_joints[j].inverse_bind = glm::inverse(glm::translate(glm::mat4(1), at) * glm::mat4(glm::mat3(axes)));
  }
  Mesh& tube = model.meshes[0];
  for (const glm::vec3 normal : tube.normals) {
    tube.tangents.emplace_back(glm::normalize(glm::cross(normal, glm::vec3(1, 0.2f, 0))), -1.0f);
  }
  return model;
}

// Weights are stored in 16 bits: this is 1 / 65535 of 10 metres, for a few points.
inline constexpr double kStored = 6e-4;

}  // namespace pelt::mos
