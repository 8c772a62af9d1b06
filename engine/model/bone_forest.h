// SPDX-License-Identifier: MIT
// The joints that skins are bound to, without what lies between them: nulls, controls, roots of a scene.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/model.h>

namespace pelt {

// A bound joint among the others. One whose inverse bind matrix has no inverse is nowhere, and nothing hangs from it.
struct Bone {
  bool is_somewhere = false;
  std::uint32_t first = 0;  // of the bones that bind one joint, which has what hangs from it
  int parent = -1;          // the nearest bound joint above it that is somewhere; -1: none is
  glm::dvec3 origin{0};     // at bind, metres, model space
  std::vector<std::uint32_t> children;
};

// One bone a bound joint of the model.
std::vector<Bone> bone_forest(const Model& model);

double distance_to_segment(const glm::dvec3& point, const glm::dvec3& from, const glm::dvec3& to);

// How far a point is from the nearest of the bones beside a joint: the one that arrives and those that leave.
double distance_to_bones(const glm::dvec3& point, const std::vector<Bone>& bones, std::uint32_t joint);

}  // namespace pelt
