// SPDX-License-Identifier: MIT
// The control vertices of a hierarchical B-spline for people who look at them and move them: viewers and reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt::hierarchical_bspline {

// The control vertices of a level. Vertex (i, j) of a grid has the number i * along[1] + j.
struct SurfaceGrid {
  std::array<std::uint32_t, 2> along{};  // control vertices along u and v; of a mesh all of them, and 1
  std::uint32_t stored = 0;              // vertices that the level stores; all others are where refinement puts them
  std::vector<std::array<std::uint32_t, 2>> edges;  // of the control mesh, between stored vertices, by their numbers

  std::uint32_t size() const { return along[0] * along[1]; }
  bool is_mesh() const { return along[1] == 1; }
};

struct SurfaceVertex {
  std::uint32_t level = 0;
  std::uint32_t number = 0;  // in the grid of its level
  glm::vec3 rest{0.0f};      // model space at bind, metres
  // Space of the level's offsets -> model space at bind: the tangent-plane frame of the level before. Level 0: none.
  glm::mat3 axes{1.0f};
  friend bool operator==(const SurfaceVertex&, const SurfaceVertex&) = default;
};

struct SurfaceVertices {
  std::vector<SurfaceGrid> grids;       // one a level
  std::vector<SurfaceVertex> vertices;  // the stored ones, by level, then by number, as control meshes have them
};

// Returns the stored vertices of a surface and the grids of its levels. Errors: those of a bind by these parameters, as
// far as the surface alone makes them.
Result<SurfaceVertices> surface_vertices(const HierarchicalBsplineParameters& parameters);

// Returns the vertices of the next level that lie at a vertex and next to it, ascending. Errors: as above, and a vertex
// or level that the surface does not have.
Result<std::vector<std::uint32_t>> refined_round(const HierarchicalBsplineParameters& parameters, std::uint32_t level,
                                                 std::uint32_t number);

// Returns the parameters of a layer, from 0, with their base written out: control and faces or shape, its levels and
// frames_per_span. The character that they make has the same vertices; but linear blend no longer takes over where a
// surface that was made of the skin does worse (Rig::judging), since an artist may have edited it. A base that is a
// mesh of the model keeps its name: the mesh is no skin, and may have a painting. Errors: those of bind, as far as they
// are met before the layers are bound; a layer that does not exist or is no surface.
Result<HierarchicalBsplineParameters> surface_with_base(const Model& model, const Rig& rig, std::size_t layer);

}  // namespace pelt::hierarchical_bspline
