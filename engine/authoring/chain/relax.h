// SPDX-License-Identifier: MIT
// Smooths positions along a curve over a mesh.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/mesh.h>

#include "engine/authoring/geometry/edge_rings.h"
#include "engine/authoring/geometry/heat.h"

namespace pelt::chain {

// The vertices and edges of a mesh. Vertices with the same value in `welded` count as one, so that seams are closed.
class Surface {
 public:
  Surface(const Mesh& mesh, std::vector<std::uint32_t> welded);

  const SurfaceHeat& heat() const { return heat_; }

  std::size_t vertex_count() const { return positions_.size(); }

  // Replaces positions that leap from one end of an edge to the other. If a curve bends at bind more tightly than its
  // distance to the skin allows, the closest point leaps and neither end is right. Such vertices, and those around them
  // until the rest length s changes by at most kSteepest times the distance on the skin, receive s and `other` by
  // harmonic interpolation between reliable neighbours. Only vertices that are `defined` count. Every span has one
  // entry per vertex. Returns 1 for each vertex that was changed.
  std::vector<std::uint8_t> relax(std::span<const std::uint8_t> defined, std::span<float> s,
                                  std::span<float> other) const;

  // Returns the gradient of s over the skin at a vertex, from its neighbours that are `defined`.
  glm::vec3 gradient(std::uint32_t vertex, std::span<const std::uint8_t> defined, std::span<const float> s) const;

 private:
  std::span<const glm::vec3> positions_;
  SurfaceHeat heat_;
  EdgeRings rings_;
  std::vector<float> closeness_;  // of each edge: 1 / its length
};

}  // namespace pelt::chain
