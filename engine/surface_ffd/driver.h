// SPDX-License-Identifier: MIT
// The driver of a surface FFD in the builder: where it is from, what moves it, which frames it gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <pelt/driver.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/deformer/builder.h"
#include "engine/geometry/used_part.h"
#include "engine/surface_ffd/bspline_patch.h"

namespace pelt {

namespace surface_ffd {

struct Driver {
  Mesh mesh;                                   // model space at bind; weights where the skeleton moves it
  SparseRows painting;                         // its weights before they were spread; what it was given or has
  Mesh source;                                 // before it was welded and refined: what groups of the rig speak of
  std::vector<std::uint32_t> source_triangle;  // of every triangle of the mesh
  std::vector<BsplinePatch> patches;           // parametric: the mesh holds their control vertices
  std::size_t control_mesh = 0;                // in the builder
  bool estimated_frames = false;               // it has no function that moves the frames of its vertices
  bool sculpted = false;                       // offsets or masks may tell vertices at one place apart
};

// The driver as a control mesh of the builder. A mesh of the model that a layer moves is there already; one that has
// weights follows by them; other drivers take the weights of the closest points of the targets. Layers that name the
// same driver in the same way share it. Errors: those of find_source and weld_and_refine; no target has the weights
// that are to be transferred; one mesh is to be driven in two ways, or moved by two sets of offsets; offsets as
// move_driver.h has it; key poses as key_pose::add_pass has it, or of a driver that the skeleton does not move.
Result<Driver> add_driver(const DriverParameters& parameters, const DeformerInput& input);

}  // namespace surface_ffd

struct SharedDrivers {
  // Of control meshes that layers move, by their number: what is left of the mesh of the model.
  std::map<std::size_t, DriverPart> parts;
  std::vector<std::pair<DriverParameters, surface_ffd::Driver>> drivers;
  // First palette entries of the frames that layers had posed, by the control mesh.
  std::map<std::size_t, std::uint32_t> element_frames;
  std::map<std::size_t, std::uint32_t> estimated_frames;  // of its vertices
};

}  // namespace pelt
