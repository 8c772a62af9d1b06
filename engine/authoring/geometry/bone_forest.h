// SPDX-License-Identifier: MIT
// The hierarchy of the joints that skins are bound to, without the nodes between them: nulls, controls, roots of a
// scene.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/model.h>

namespace pelt {

// A bound joint in that hierarchy. If its inverse bind matrix has no inverse, it has no position and is no bone's
// parent.
struct Bone {
  bool is_somewhere = false;
  // First of the bones that bind the same joint; only that one has children.
  std::uint32_t first = 0;
  int parent = -1;       // the nearest bound joint above it that has a position; -1: there is no such joint
  glm::dvec3 origin{0};  // at bind, metres, model space
  std::vector<std::uint32_t> children;
};

// Returns one bone for each bound joint of the model.
std::vector<Bone> bone_forest(const Model& model);

// Returns for each bound joint of the model whether it is `joint` or hangs below it.
std::vector<bool> bound_at_or_below(const Model& model, std::uint32_t joint);

double distance_to_segment(const glm::dvec3& point, const glm::dvec3& from, const glm::dvec3& to);

// Returns the distance of a point from the nearest bone at a joint: the one that ends there or those that begin there.
double distance_to_bones(const glm::dvec3& point, const std::vector<Bone>& bones, std::uint32_t joint);

}  // namespace pelt
