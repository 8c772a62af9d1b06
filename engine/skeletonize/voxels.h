// SPDX-License-Identifier: MIT
// The inside of closed surfaces as voxels. The one place that knows OpenVDB.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/result.h>

namespace pelt::skeletonize {

inline constexpr std::uint32_t kOutside = 0xffffffff;

// Cubes of edge `size` whose centres are at origin + size * (x, y, z): model space. "Voxel units" are (x, y, z).
struct Voxels {
  glm::dvec3 origin{0};
  double size = 1;
  glm::ivec3 extent{0};               // of the grid
  std::vector<std::uint32_t> number;  // at (z * extent.y + y) * extent.x + x: place among the inside ones, or kOutside
  std::vector<glm::ivec3> cells;      // of the inside ones, by ascending z, y, x
  std::size_t enclosed = 0;           // of the inside ones not inside the closed parts
  std::vector<glm::vec3> surface;     // points spread evenly over what bounds the inside, voxel units

  bool holds(const glm::ivec3& cell) const {
    return glm::all(glm::greaterThanEqual(cell, glm::ivec3(0))) && glm::all(glm::lessThan(cell, extent));
  }
  std::size_t place(const glm::ivec3& cell) const {
    return (static_cast<std::size_t>(cell.z) * static_cast<std::size_t>(extent.y) + static_cast<std::size_t>(cell.y)) *
               static_cast<std::size_t>(extent.x) +
           static_cast<std::size_t>(cell.x);
  }
  // The number of the inside voxel at a cell; kOutside beyond the grid too.
  std::uint32_t at(const glm::ivec3& cell) const { return holds(cell) ? number[place(cell)] : kOutside; }

  glm::dvec3 to_voxels(const glm::dvec3& point) const { return (point - origin) / size; }
  glm::dvec3 to_model(const glm::dvec3& point) const { return origin + size * point; }
};

// The inside: voxels whose centres no path reaches from afar without crossing a triangle of `closed`, whose parts may
// overlap or lie in each other; and voxels that triangles of either kind enclose, in 23 of 26 directions: the hollows
// of vases and skulls, and what holes are seen into through. `resolution` voxels lie along the longest side of the
// bounds; positions of triangles are finite and not all the same. The same whatever the number of threads.
// Errors: kUnsupported where nothing is inside.
Result<Voxels> voxelize(std::span<const glm::vec3> positions, std::span<const glm::uvec3> closed,
                        std::span<const glm::uvec3> open, std::uint32_t resolution);

}  // namespace pelt::skeletonize
