// SPDX-License-Identifier: MIT
// The control vertices of a hierarchical B-spline, for viewers and reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <utility>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt::hierarchical_bspline {

// The control vertices of a level. Vertex (i, j) of a grid has the number i * along[1] + j.
struct SurfaceGrid {
  std::array<std::uint32_t, 2> along{};             // control vertices along u and v; for a mesh their number, and 1
  std::uint32_t stored = 0;                         // vertices that the level stores; refinement positions all others
  std::vector<std::array<std::uint32_t, 2>> edges;  // of the control mesh, between stored vertices, by number

  std::uint32_t size() const { return along[0] * along[1]; }
  bool is_mesh() const { return along[1] == 1; }
};

struct SurfaceVertex {
  std::uint32_t level = 0;
  std::uint32_t number = 0;  // in the grid of its level
  glm::vec3 rest{0.0f};      // model space at bind, metres
  // Space of the level's offsets -> model space at bind: the frame of the coarser level; on level 0, and of plain
  // vertices, identity.
  glm::mat3 axes{1.0f};
  friend bool operator==(const SurfaceVertex&, const SurfaceVertex&) = default;
};

struct SurfaceVertices {
  std::vector<SurfaceGrid> grids;       // one per level
  std::vector<SurfaceVertex> vertices;  // the stored ones, by level, then by number, like control meshes
};

// Returns the stored vertices of a surface and the grids of its levels. Errors: those errors of bind that depend on the
// surface only.
Result<SurfaceVertices> surface_vertices(const HierarchicalBsplineParameters& parameters);

// Polygons between the points of the surface that a level's control vertices influence most.
struct SurfaceMesh {
  std::vector<std::vector<std::uint32_t>> faces;
  // For each point, indices of SurfaceVertices::vertices and their weights, which sum to 1, at bind and posed.
  std::vector<std::vector<std::pair<std::uint32_t, float>>> points;
};

// Returns the surface with everything up to a level; levels finer than the surface's refine it. Errors: as above.
Result<SurfaceMesh> surface_mesh(HierarchicalBsplineParameters parameters, std::uint32_t level);

// Returns the vertices of the next level that lie at a vertex and next to it, ascending. Errors: as above, and a
// missing vertex or level.
Result<std::vector<std::uint32_t>> refined_round(const HierarchicalBsplineParameters& parameters, std::uint32_t level,
                                                 std::uint32_t number);

// Returns the parameters of a layer, from 0, with their base written out: control and faces or shape, levels and
// frames_per_span. The resulting character has the same vertices, but a surface made from the skin no longer falls back
// to linear blend if it does worse (Rig::check), since an artist may have edited it. A base that is a mesh of the
// model keeps its name: the mesh is no skin, and may be painted. Errors: those that bind meets before it binds layers;
// a layer that does not exist or is no surface.
Result<HierarchicalBsplineParameters> surface_with_base(const Model& model, const Rig& rig, std::size_t layer);

}  // namespace pelt::hierarchical_bspline
