// SPDX-License-Identifier: MIT
// A hierarchical surface at bind (Forsey & Bartels 1988, Forsey 1994; docs/mathematics.md section 4). Levels above the
// base only store control vertices with an offset, attachment or keys of their own. Every other control vertex is a
// fixed combination of stored ones of coarser levels, so that a surface point combines stored vertices only, and
// refinement splits no patch elsewhere.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>

#include "engine/authoring/hierarchical_bspline/grid.h"
#include "engine/authoring/hierarchical_bspline/subdivision.h"
#include "engine/authoring/hierarchical_bspline/topology.h"

namespace pelt::hierarchical_bspline {

struct StoredVertex {
  std::uint32_t level;
  std::uint32_t number;  // in the grid of its level
  glm::vec3 rest;        // model space at bind, metres
  // Empty on level 0. Above, R of equation 2 as shares of `weight`, and the tangents of the parent surface.
  std::vector<Share> reference;
  // Axes of its offset, model space at bind: the frame of the coarser level; on level 0, and of plain vertices,
  // identity.
  glm::dmat3 axes{1.0};
};

class Surface {
 public:
  // Errors are kInvalidArgument and name `what`, the level and the vertex: too few control vertices, a number of them
  // other than the shape's, numbers that are not finite, vertices that do not exist or appear twice, levels too fine, a
  // vertex at which the parent surface has no tangent plane.
  static Result<Surface> create(const HierarchicalBsplineParameters& parameters, const std::string& what);

  std::uint32_t finest() const { return static_cast<std::uint32_t>(stored_.size()) - 1; }
  const Topology& topology() const { return *topology_; }
  // Return the topology: one of these, and nullptr for the other.
  const GridTopology* grid() const { return grid_; }
  Subdivision* subdivision() { return subdivision_; }
  const std::vector<StoredVertex>& vertices() const { return vertices_; }  // by level, then by number

  // Returns the stored vertex, or nullptr if the level does not store it.
  const StoredVertex* find(std::uint32_t level, std::uint32_t number) const;

  // Returns all control vertices of a level at bind.
  std::span<const glm::dvec3> control(std::uint32_t level) const { return control_[level]; }

  // Adds up weights of control vertices of a level, including the offsets up to that level.
  SurfacePoint evaluate(std::uint32_t level, std::span<const Share> shares) const;
  // Evaluates a grid at parameters of a level.
  SurfacePoint evaluate(std::uint32_t level, glm::dvec2 uv) const {
    return evaluate(level, grid_->grid(level).point(uv));
  }

  // Converts weights of a level's control vertices to weights of the stored vertices, ascending.
  std::vector<Share> stored_shares(std::uint32_t level, std::span<const Share> shares);
  // Returns the weights of stored vertices in a point of a grid, at parameters of a level.
  std::vector<Share> shares(std::uint32_t level, glm::dvec2 uv) {
    return stored_shares(level, grid_->grid(level).framed_point(uv, control_[level]));
  }

  // Adds levels, up to `level`, to a surface over a mesh. They store nothing.
  Result<void> refine_to(std::uint32_t level);

 private:
  using Combination = std::vector<std::pair<std::uint32_t, double>>;  // stored vertices and weights

  // Adds a level that stores nothing.
  void add_level();
  // Returns control vertex `number` of a level as a combination of stored vertices.
  const Combination& combination(std::uint32_t level, std::uint32_t number);
  // Returns vertex `next` of level + 1 as refinement combines it from control vertices.
  Combination refined(std::uint32_t level, std::uint32_t next);
  // Stores vertices of the last level with offsets (of the base: positions), some of which are plain vectors.
  Result<void> store(const std::map<std::uint32_t, glm::dvec3>& offsets, const std::set<std::uint32_t>& plain,
                     const std::string& what);

  std::shared_ptr<Topology> topology_;
  GridTopology* grid_ = nullptr;
  Subdivision* subdivision_ = nullptr;
  std::vector<std::vector<glm::dvec3>> control_;  // of each level, all vertices at bind
  std::vector<StoredVertex> vertices_;
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> stored_;      // of each level, number -> vertices_
  std::vector<std::unordered_map<std::uint32_t, Combination>> combinations_;  // per level, on first request
};

}  // namespace pelt::hierarchical_bspline
