// SPDX-License-Identifier: MIT
// The painting of a surface: the joints that control vertices follow, if a rig attaches them as painted.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/result.h>
#include <pelt/sparse_rows.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/tools/triangle_tree.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/hierarchical_bspline/base.h"
#include "engine/authoring/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

// Rows over the model's bound joints for the control vertices of a surface.
class Painting {
 public:
  // Copies the weights of the targets that are closest to the surface, among these those of skin painted like the
  // coarser level there, so that fingers stay apart. Spreads them along the surface by the base's parameters. A base
  // with its own painting passes it to finer levels, and nothing is spread. Errors: no target has weights.
  static Result<Painting> create(const Surface& surface, const Base& base, const DeformerInput& input);

  std::span<const Influence> row(std::uint32_t level, std::uint32_t number) const;

  // Returns the rows of a level's vertices. The level may be finer than those of the surface.
  SparseRows rows_of(const Topology& topology, std::uint32_t level) const;

 private:
  const Topology* topology_ = nullptr;
  std::uint32_t finest_ = 0;
  SparseRows rows_;  // of the finest level
};

// Returns the rows of the next level, by refinement.
SparseRows refined_rows(const Topology& topology, std::uint32_t level, const SparseRows& rows);

// Returns the parts (Base::parts) of a level's vertices; empty if the base has none.
std::vector<std::uint32_t> parts_of(const Topology& topology, std::uint32_t level, const Base& base);

// Returns the triangles of polygons, each cut along its shorter diagonals from one corner.
std::vector<glm::uvec3> triangles_of(const Polygons& faces, std::span<const glm::vec3> positions);

// Returns the limit points of a level's control vertices.
std::vector<SurfacePoint> limit_points(const Surface& surface, std::uint32_t level);

inline constexpr std::uint32_t kAnyPart = 0xFFFFFFFF;

// A point to search for on painted triangles: the closest, unless another near it is more similar.
struct PaintedPoint {
  glm::vec3 position;
  glm::vec3 normal;                    // 0: any
  std::span<const Influence> weights;  // none: any
  std::uint32_t part = kAnyPart;       // of the triangles; if none of it is near, its closest point
};
struct PaintedTriangles {
  std::span<const glm::vec3> positions;
  std::span<const glm::uvec3> triangles;
  RowOfVertex weights;                   // none: not painted
  std::span<const std::uint32_t> parts;  // of the vertices; none: one part
};
std::vector<ClosestPoint> closest_alike(const PaintedTriangles& surface, const TriangleTree& tree,
                                        std::span<const PaintedPoint> points, unsigned threads);

}  // namespace pelt::hierarchical_bspline
