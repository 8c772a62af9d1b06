// SPDX-License-Identifier: MIT
// Heat on a skin: spreads values that are known at some vertices smoothly over it, for any tessellation.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <initializer_list>
#include <span>
#include <vector>

namespace pelt {

class SurfaceHeat {
 public:
  // Vertices with the same `welded` number (of weld_by_position, for example) count as one: seams are closed. Keeps a
  // reference to the positions.
  SurfaceHeat(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
              std::vector<std::uint32_t> welded);

  std::size_t vertex_count() const { return positions_.size(); }

  // Computes one implicit step of heat that flows along the surface (diffusion.h). Its time grows with the area reached
  // and not with the mesh. `diffusion`: conductivity times time of each vertex, square metres; a step in the values
  // becomes about sqrt(2 diffusion) wide on either side. A triangle uses the least value of its corners; if that is 0,
  // nothing flows through it. One value per vertex.
  void flow(std::span<const float> diffusion, std::span<float> values) const;

  // States of a vertex for fill().
  static constexpr std::uint8_t kAside = 0;  // not part of the surface
  static constexpr std::uint8_t kKnown = 1;
  static constexpr std::uint8_t kUnknown = 2;

  // Computes the values of unknown vertices by harmonic interpolation; known values stay. Unknown vertices that are
  // connected to no known one keep their values.
  void fill(std::span<const std::uint8_t> known, std::initializer_list<std::span<float>> values) const;

  // For each vertex, the first vertex that it is welded with.
  std::span<const std::uint32_t> welded() const { return welded_; }

 private:
  class Part;

  std::span<const glm::vec3> positions_;
  std::vector<std::uint32_t> welded_;
  std::vector<glm::uvec3> triangles_;  // with welded vertex numbers
};

}  // namespace pelt
