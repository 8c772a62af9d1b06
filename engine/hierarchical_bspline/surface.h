// SPDX-License-Identifier: MIT
// A hierarchical uniform bicubic B-spline surface at bind (Forsey & Bartels 1988, Forsey 1994; docs/mathematics.md
// section 4). Levels above the base store the control vertices that have something of their own: an offset, an
// attachment, keys. Every other control vertex is a fixed combination of stored ones of coarser levels, so that a point
// of the surface is a combination of stored vertices alone, and refinement splits no patch elsewhere.
//
// Along an open direction of n control vertices the parameter runs over [0, n - 3], along a closed one over [0, n) and
// round again. Span k is shaped by control vertices k to k + 3; vertex i has the most influence at i - 1. Level l + 1
// has twice the spans of level l, and twice the parameter at the same point.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>

namespace pelt::hierarchical_bspline {

// The control vertices of a level along one direction.
struct Direction {
  std::uint32_t count = 0;
  bool closed = false;

  std::uint32_t spans() const { return closed ? count : count - 3; }
  Direction refined() const { return {closed ? 2 * count : 2 * count - 3, closed}; }
  // Returns the parameter within the domain.
  double inside(double t) const;
};

struct Grid {
  std::array<Direction, 2> along;

  std::uint32_t size() const { return along[0].count * along[1].count; }
  std::uint32_t number(std::uint32_t i, std::uint32_t j) const { return i * along[1].count + j; }
};

// The share of a stored vertex in a point, and in the derivatives of the point by the parameters of a level.
struct Share {
  std::uint32_t vertex;
  double weight;
  double along_u;
  double along_v;
};

// A point of the surface at bind, and its tangent-plane frame [S_u / |S_u|, n x e1, n], n along S_u x S_v.
struct SurfacePoint {
  glm::dvec3 position;
  glm::dvec3 tangent_u;
  glm::dvec3 tangent_v;

  bool has_frame() const;
  glm::dmat3 axes() const;  // precondition: has_frame()
};

struct StoredVertex {
  std::uint32_t level;
  std::uint32_t number;  // in the grid of its level
  glm::vec3 rest;        // model space at bind, metres
  // Level 0: none. Above, R of equation 2 as shares of `weight`, and the tangents of the parent surface.
  std::vector<Share> reference;
};

class Surface {
 public:
  // Errors are kInvalidArgument and name `what`, the level and the vertex: too few control vertices, a number of them
  // that is not that of the shape, numbers that are not finite, vertices that do not exist or are given twice, levels
  // too fine, a vertex where the parent surface has no tangent plane.
  static Result<Surface> create(const HierarchicalBsplineParameters& parameters, const std::string& what);

  std::uint32_t finest() const { return static_cast<std::uint32_t>(grids_.size()) - 1; }
  const Grid& grid(std::uint32_t level) const { return grids_[level]; }
  const std::vector<StoredVertex>& vertices() const { return vertices_; }  // by level, then by number

  // Returns the stored vertex, or nullptr if the level leaves it to refinement.
  const StoredVertex* find(std::uint32_t level, std::uint32_t number) const;

  // Evaluates the surface at parameters of a level, as it is with the offsets up to that level.
  SurfacePoint evaluate(std::uint32_t level, glm::dvec2 uv) const;

  // Returns the stored vertices that shape that point, ascending. Where the surface has no tangent plane, as at a pole,
  // the tangents are those of a point nearby.
  std::vector<Share> shares(std::uint32_t level, glm::dvec2 uv);

 private:
  using Combination = std::vector<std::pair<std::uint32_t, double>>;  // stored vertices and weights

  // Returns control vertex `number` of a level by stored vertices.
  const Combination& combination(std::uint32_t level, std::uint32_t number);
  // Returns the sum of the control vertices that refinement makes vertex (i, j) of level + 1 from.
  Combination refined(std::uint32_t level, std::uint32_t i, std::uint32_t j);
  Result<void> store(std::uint32_t level, const std::vector<std::pair<std::uint32_t, glm::dvec3>>& offsets,
                     const std::string& what);

  std::vector<Grid> grids_;
  std::vector<std::vector<glm::dvec3>> control_;  // of each level, all vertices at bind
  std::vector<StoredVertex> vertices_;
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> stored_;      // of each level, number -> vertices_
  std::vector<std::unordered_map<std::uint32_t, Combination>> combinations_;  // of each level, once asked for
};

}  // namespace pelt::hierarchical_bspline
