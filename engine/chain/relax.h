// SPDX-License-Identifier: MIT
// Places along a curve that pass smoothly over a mesh.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <utility>
#include <vector>

#include <pelt/mesh.h>

#include "engine/geometry/heat.h"

namespace pelt::chain {

// A mesh's vertices and edges; those that `welded` names alike are one, so that seams are closed.
class Surface {
 public:
  Surface(const Mesh& mesh, std::vector<std::uint32_t> welded);

  const SurfaceHeat& heat() const { return heat_; }

  std::size_t vertex_count() const { return positions_.size(); }

  // Where the closest point of a curve leaps between the ends of an edge, which it does where the curve bends at rest
  // more tightly than the skin is away from it, neither end is right. Such vertices, and those around them until the
  // rest length s changes by no more than kSteepest times the way over the skin, get s, and `other` with it, from
  // their neighbours: harmonic between the places that are sure. Only vertices that are `defined` count. Returns which
  // were changed. Shape: one entry a vertex, of all.
  std::vector<std::uint8_t> relax(std::span<const std::uint8_t> defined, std::span<float> s,
                                  std::span<float> other) const;

  // The gradient of s over the skin at a vertex, from its neighbours that are `defined`.
  glm::vec3 gradient(std::uint32_t vertex, std::span<const std::uint8_t> defined, std::span<const float> s) const;

 private:
  std::span<const std::pair<std::uint32_t, std::uint32_t>> neighbours(std::uint32_t vertex) const;

  std::span<const glm::vec3> positions_;
  SurfaceHeat heat_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;  // both ways, sorted
  std::vector<float> closeness_;                                // of each edge: 1 / its length
  std::vector<std::size_t> first_edge_;                         // of each vertex, and one more
};

}  // namespace pelt::chain
