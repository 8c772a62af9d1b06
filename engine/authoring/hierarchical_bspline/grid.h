// SPDX-License-Identifier: MIT
// Tensor-product grids of uniform bicubic B-splines (Forsey & Bartels 1988).
//
// The parameter of an open direction of n control vertices runs over [0, n - 3], that of a closed one over [0, n) and
// round again. Control vertices k to k + 3 shape span k; vertex i has the most influence at i - 1. Level l + 1 has
// twice the spans of level l, and twice the parameter at the same point.
#pragma once

#include <array>

#include "engine/authoring/hierarchical_bspline/topology.h"

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
  glm::dvec2 inside(glm::dvec2 uv) const { return {along[0].inside(uv.x), along[1].inside(uv.y)}; }
  Grid refined() const { return {{along[0].refined(), along[1].refined()}}; }

  // Returns the weights of the control vertices in a point and in its derivatives.
  std::vector<Share> point(glm::dvec2 uv) const;
  // Does the same, but takes the tangents of a point nearby if the point has no tangent plane.
  std::vector<Share> framed_point(glm::dvec2 uv, std::span<const glm::dvec3> control) const;
};

class GridTopology : public Topology {
 public:
  explicit GridTopology(std::vector<Grid> levels) : levels_(std::move(levels)) {}

  const Grid& grid(std::uint32_t level) const { return levels_[level]; }

  std::uint32_t size(std::uint32_t level) const override { return levels_[level].size(); }
  std::vector<std::pair<std::uint32_t, double>> refinement(std::uint32_t level, std::uint32_t next) const override;
  std::uint32_t child(std::uint32_t level, std::uint32_t number) const override;
  std::vector<Share> limit(std::uint32_t level, std::uint32_t number,
                           std::span<const glm::dvec3> control) const override;
  Polygons faces(std::uint32_t level) const override;
  std::vector<std::uint32_t> refined_round(std::uint32_t level, std::uint32_t number) const override;

 private:
  std::vector<Grid> levels_;
};

}  // namespace pelt::hierarchical_bspline
