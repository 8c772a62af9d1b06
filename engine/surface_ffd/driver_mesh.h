// SPDX-License-Identifier: MIT
// Where a driver's mesh comes from, before anything moves it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/character/builder.h"
#include "engine/core/result.h"
#include "engine/model/mesh.h"
#include "engine/rig/rig.h"
#include "engine/surface_ffd/bspline_patch.h"

namespace pelt::surface_ffd {

// The driver as its source has it: what the rig's vertex and triangle numbers speak of.
struct DriverSource {
  Mesh mesh;                          // model space at bind
  std::vector<BsplinePatch> patches;  // parametric: the mesh holds their control vertices, one after the other
};

// A mesh of the model, the meshes of a file laid end to end, patches, or the targets welded and simplified. Morph
// targets are at rest in it. Errors: no such mesh or file, more than one of them named, a patch that is none, nothing
// to make a driver from.
Result<DriverSource> find_source(const DriverParameters& parameters, const DeformerInput& input);

// The surface that the layer shows on: its targets, or those of them that have weights, laid end to end.
Mesh shown_surface(const DeformerInput& input, bool with_weights);

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
