// SPDX-License-Identifier: MIT
// The inside of closed surfaces as voxels. Only this file uses OpenVDB.
#pragma once

#include <cmath>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/result.h>

namespace pelt::skeletonize {

inline constexpr std::uint32_t kOutside = 0xffffffff;

// A grid of cubes of edge `size`, metres, whose centres are at origin + size * (x, y, z) in model space. "Voxel units"
// are (x, y, z).
struct Voxels {
  glm::dvec3 origin{0};
  double size = 1;
  glm::ivec3 extent{0};               // number of voxels in the grid
  std::vector<std::uint32_t> number;  // at (z * extent.y + y) * extent.x + x: index of an inside voxel, or kOutside
  std::vector<glm::ivec3> cells;      // the inside voxels, by ascending z, y, x
  std::size_t enclosed = 0;           // number of inside voxels outside of the closed parts
  std::size_t in_tubes = 0;           // number of voxels that are all around an axis enclosed, and else not inside
  std::vector<glm::vec3> surface;     // points spread evenly over the boundary of the inside, voxel units

  bool holds(const glm::ivec3& cell) const {
    return glm::all(glm::greaterThanEqual(cell, glm::ivec3(0))) && glm::all(glm::lessThan(cell, extent));
  }
  std::size_t place(const glm::ivec3& cell) const {
    return (static_cast<std::size_t>(cell.z) * static_cast<std::size_t>(extent.y) + static_cast<std::size_t>(cell.y)) *
               static_cast<std::size_t>(extent.x) +
           static_cast<std::size_t>(cell.x);
  }
  // Returns the index of the inside voxel at a cell; kOutside for others and beyond the grid.
  std::uint32_t at(const glm::ivec3& cell) const { return holds(cell) ? number[place(cell)] : kOutside; }

  glm::dvec3 to_voxels(const glm::dvec3& point) const { return (point - origin) / size; }
  glm::dvec3 to_model(const glm::dvec3& point) const { return origin + size * point; }
};

inline constexpr int kNeighbours = 27;
inline constexpr int kSelf = 13;  // the neighbour that is the voxel itself

// Returns the step to neighbour n of a voxel, 0 to kNeighbours - 1.
inline glm::ivec3 neighbour(int n) { return glm::ivec3(n % 3, n / 3 % 3, n / 9) - 1; }

// Calls visit(cell, distance) for the cells next to one, in the grid or not. Distances are those of the centres,
// voxels.
template <class Visit>
void for_cells_beside(const glm::ivec3& cell, const Visit& visit) {
  for (int n = 0; n < kNeighbours; ++n) {
    const glm::ivec3 step = neighbour(n);
    if (n != kSelf) visit(cell + step, std::sqrt(glm::dot(glm::vec3(step), glm::vec3(step))));
  }
}

// Calls visit(voxel, distance) for the inside voxels next to one.
template <class Visit>
void for_neighbours(const Voxels& voxels, std::uint32_t voxel, const Visit& visit) {
  for_cells_beside(voxels.cells[voxel], [&](const glm::ivec3& cell, float distance) {
    if (const std::uint32_t next = voxels.at(cell); next != kOutside) visit(next, distance);
  });
}

// Makes voxels of the inside. A voxel is inside if every path from far away to its centre crosses a triangle of
// `closed` or of `capped`, whose parts may overlap or nest. It is also inside if triangles of any kind enclose it in 23
// of 26 directions: the hollows of vases and skulls, even if open; `with_tubes`: or all around an axis. `resolution`
// voxels lie along the longest side of the bounds. Positions of triangles must be finite and not all the same. The
// result does not depend on the number of threads. Errors: kUnsupported if nothing is inside.
Result<Voxels> voxelize(std::span<const glm::vec3> positions, std::span<const glm::uvec3> closed,
                        std::span<const glm::uvec3> capped, std::span<const glm::uvec3> sheets,
                        std::uint32_t resolution, bool with_tubes = false);

}  // namespace pelt::skeletonize
