// SPDX-License-Identifier: MIT
// Finds or makes the mesh of a driver, before anything moves it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/driver.h>
#include <pelt/mesh.h>
#include <pelt/result.h>
#include <pelt/sparse_rows.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/surface_ffd/bspline_patch.h"

namespace pelt::surface_ffd {

// The unmodified driver. Vertex and triangle numbers in the rig refer to it.
struct DriverSource {
  Mesh mesh;                          // model space at bind
  std::vector<BsplinePatch> patches;  // parametric: the mesh holds their control vertices, concatenated
  SparseRows skin_weights;            // weights of the targets, if all its vertices are theirs; else empty
};

// Returns the source of a driver: a mesh of the model, the concatenated meshes of a file, patches, or the targets
// welded and simplified. Morph targets have their rest weights in it. Errors: a missing mesh or file, an invalid patch,
// nothing to make a driver from.
Result<DriverSource> find_source(const DriverParameters& parameters, const DeformerInput& input);

// The vertices of a driver, each from one or two others: first the vertices of the source that welding keeps, then
// those that refinement adds.
struct VertexSources {
  std::vector<std::uint32_t> kept;  // vertices of the source
  // For each added vertex, the two earlier vertices of the driver that it is midway between.
  std::vector<glm::uvec2> parents;

  // Converts values at the vertices of the source to values at those of the driver.
  std::vector<glm::vec3> carry(std::span<const glm::vec3> values) const;
};

// A source, welded and refined.
struct DriverMesh {
  Mesh mesh;                                   // with weights
  std::vector<std::uint32_t> source_triangle;  // triangle of the source for every triangle
  VertexSources vertices;
};

// Welds and refines a source. Errors: a region of a refinement that is invalid, more than 2^19 triangles.
Result<DriverMesh> weld_and_refine(const Mesh& source, const DriverParameters& parameters, const DeformerInput& input);

}  // namespace pelt::surface_ffd
