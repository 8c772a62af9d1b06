// SPDX-License-Identifier: MIT
// Anchors of skins at bind.
#pragma once

#include <cmath>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>

#include <pelt/character.h>

#include "shaders/anchor/anchor.h"

namespace pelt {

inline shared::SkinAnchorRecord anchor_record(const SkinAnchor& anchor) {
  return {anchor.vertices.x, anchor.vertices.y, anchor.vertices.z, anchor.shares.y, anchor.shares.z};
}

// Returns true if these are shares of a triangle's corners, from 0 to 1 with the sum 1, up to rounding.
inline bool are_shares(glm::vec3 shares) {
  constexpr float kRounding = 1e-4f;
  return glm::all(glm::greaterThanEqual(shares, glm::vec3(-kRounding))) &&
         std::abs(shares.x + shares.y + shares.z - 1) <= kRounding;
}

// Returns the anchor at a point of a triangle, whose longest edge at bind comes first; at a vertex if it has no length.
// `shares`: of the triangle's corners.
SkinAnchor anchor_on_triangle(std::span<const glm::vec3> points, glm::uvec3 triangle, glm::vec3 shares);

// The point of a mesh at bind that is nearest to a position; the first if several are.
struct NearestPoint {
  std::uint32_t triangle = 0;
  glm::vec3 shares{1, 0, 0};
  double distance = 0;  // metres
};
// Looks at every triangle; none: there are no triangles.
std::optional<NearestPoint> nearest_on(std::span<const glm::vec3> points, std::span<const glm::uvec3> triangles,
                                       const glm::dvec3& position);

// Moves an anchor to the nearest point of another mesh, at a vertex if that has no triangles. Precondition: it has
// vertices.
void move_anchor(const CharacterMesh& from, const CharacterMesh& to, SkinAnchor& anchor);

}  // namespace pelt
