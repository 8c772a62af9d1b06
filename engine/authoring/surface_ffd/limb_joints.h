// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/model.h>
#include <pelt/sparse_rows.h>

namespace pelt::surface_ffd {

// A hip, knee, shoulder or elbow. Skin folds deep into itself there, and exact normals show it as dark stains, which
// smooth shading hides.
struct LimbJoint {
  glm::vec3 place;                  // model space at bind
  std::vector<float> limb_weights;  // per driver vertex: of the joint and all below it
};

// Finds those of arms and legs by their names. `weights`: of the driver over the model's bound joints.
std::vector<LimbJoint> find_limb_joints(const Model& model, const SparseRows& weights);

// Returns how much of its gradients a skin vertex at `point` keeps, 0 to 1: nothing if the weight of a limb changes
// along the skin there. `row`: driver vertices, counted from `first_entry`; `gradients`: of their weights.
float kept_at_limb_joints(std::span<const LimbJoint> joints, const glm::vec3& point, std::span<const Influence> row,
                          std::span<const glm::vec3> gradients, std::uint32_t first_entry);

}  // namespace pelt::surface_ffd
