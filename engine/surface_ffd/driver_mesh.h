// SPDX-License-Identifier: MIT
// Where a driver's mesh comes from, before anything moves it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <pelt/driver.h>
#include <pelt/mesh.h>
#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/sparse_rows.h>

#include "engine/deformer/builder.h"
#include "engine/surface_ffd/bspline_patch.h"

namespace pelt::surface_ffd {

// The driver as its source has it: what the rig's vertex and triangle numbers speak of.
struct DriverSource {
  Mesh mesh;                          // model space at bind
  std::vector<BsplinePatch> patches;  // parametric: the mesh holds their control vertices, one after the other
  SparseRows skin_weights;            // of the targets, where its vertices are all theirs; else none
};

// A mesh of the model, the meshes of a file laid end to end, patches, or the targets welded and simplified. Morph
// targets are at rest in it. Errors: no such mesh or file, more than one of them named, a patch that is none, nothing
// to make a driver from.
Result<DriverSource> find_source(const DriverParameters& parameters, const DeformerInput& input);

// The surface that the layer shows on: its targets, or those of them that have weights, laid end to end.
struct ShownSurface {
  struct Part {
    std::uint32_t first_vertex;
    const SparseRows* weights;  // the target's, which may have none
  };
  Mesh mesh;  // positions and triangles alone
  std::vector<Part> parts;

  // Those of a vertex, in its target; none where that has none.
  std::span<const Influence> weights(std::uint32_t vertex) const;
};
ShownSurface shown_surface(const DeformerInput& input, bool with_weights);

// A source, welded and refined.
struct DriverMesh {
  Mesh mesh;                                   // its weights too
  std::vector<std::uint32_t> source_triangle;  // of every triangle
  // Values of the source's vertices at the mesh's.
  std::function<std::vector<glm::vec3>(std::span<const glm::vec3>)> carry;
};

// Errors: a refinement's region that cannot be had, more than 2^22 triangles.
Result<DriverMesh> weld_and_refine(const Mesh& source, const DriverParameters& parameters, const DeformerInput& input);

}  // namespace pelt::surface_ffd
