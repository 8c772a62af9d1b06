// SPDX-License-Identifier: MIT
// Heat on a skin: how what is known at its vertices passes smoothly over it, whatever the tessellation.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <initializer_list>
#include <span>
#include <vector>

namespace pelt {

class SurfaceHeat {
 public:
  // Vertices that `welded` names alike are one (weld_by_position, say): seams are closed. The positions are kept by
  // reference.
  SurfaceHeat(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
              std::vector<std::uint32_t> welded);

  std::size_t vertex_count() const { return positions_.size(); }

  // One implicit step of heat that flows along the surface: linear finite elements, solved by conjugate gradients, so
  // that its time grows with the area reached and not with the mesh. `spread`: of each vertex conductivity times time,
  // square metres, by which a step in the values becomes about sqrt(2 spread) wide on either side; where a triangle's
  // corners differ, the least of them counts, and nothing flows where that is 0. Values are one a vertex.
  void flow(std::span<const float> spread, std::span<float> values) const;

  // What is known of a vertex to fill().
  static constexpr std::uint8_t kAside = 0;  // takes no part
  static constexpr std::uint8_t kKnown = 1;
  static constexpr std::uint8_t kUnknown = 2;

  // The values that heat comes to where they are not known, held where they are: harmonic. Unknown ones that no known
  // one is connected to keep theirs.
  void fill(std::span<const std::uint8_t> known, std::initializer_list<std::span<float>> values) const;

  // Of each vertex the first of those that it is one with.
  std::span<const std::uint32_t> welded() const { return welded_; }

 private:
  class System;
  void copy_over_seams(const System& system, std::span<float> values) const;

  std::span<const glm::vec3> positions_;
  std::vector<std::uint32_t> welded_;
  std::vector<glm::uvec3> triangles_;  // over welded vertices
};

}  // namespace pelt
