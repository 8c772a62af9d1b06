// SPDX-License-Identifier: MIT
// Heat on a skin: how what is known at its vertices passes smoothly over it, whatever the tessellation.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

class SurfaceHeat {
 public:
  // Vertices at one position are one: seams are closed. Both are kept by reference.
  SurfaceHeat(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles);

  std::size_t vertex_count() const { return positions_.size(); }

  // One implicit step of heat that flows along the surface: linear finite elements, solved by conjugate gradients, so
  // that its time grows with the area reached and not with the mesh. `spread`: of each vertex conductivity times time,
  // square metres, by which a step in the values becomes about sqrt(2 spread) wide on either side; where a triangle's
  // corners differ, the least of them counts, and nothing flows where that is 0. Values are one a vertex.
  void flow(std::span<const float> spread, std::span<float> values) const;

  // The values that heat comes to where they are not known (2), held where they are (1): harmonic. Vertices that are
  // neither (0) take no part. Unknown ones that no known one is connected to keep theirs.
  void fill(std::span<const std::uint8_t> known, std::span<float> values) const;

 private:
  class System;

  std::span<const glm::vec3> positions_;
  std::vector<std::uint32_t> welded_;
  std::vector<glm::uvec3> triangles_;  // over welded vertices
};

}  // namespace pelt
