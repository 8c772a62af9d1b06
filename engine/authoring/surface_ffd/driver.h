// SPDX-License-Identifier: MIT
// The driver of a surface FFD in the builder: its source, what moves it, and the frames that it gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <pelt/driver.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/geometry/used_part.h"
#include "engine/authoring/surface_ffd/bspline_patch.h"

namespace pelt {

namespace surface_ffd {

struct Driver {
  Mesh mesh;            // model space at bind; has weights if the skeleton moves it
  SparseRows painting;  // its weights as given or painted, before they were spread
  Mesh source;          // the mesh before it was welded and refined, to which groups of the rig refer
  std::vector<std::uint32_t> source_triangle;  // triangle of `source` for every triangle of the mesh
  std::vector<BsplinePatch> patches;           // parametric: the mesh holds their control vertices
  std::size_t control_mesh = 0;                // its number in the builder
  bool estimated_frames = false;  // true if the frames of its vertices have no function and must be estimated
  bool sculpted = false;          // true if offsets or masks may move vertices at one place apart
};

bool is_made_from_skin(const DriverParameters& driver);

// Adds the driver to the builder as a control mesh. A mesh of the model that a layer moves is there already. A driver
// that has weights follows by them; other drivers take the weights of the closest points of the targets. Layers that
// name the same driver in the same way share it. Errors: those of find_source and weld_and_refine; no target has the
// weights that are to be transferred; one mesh is to be driven in two ways, or moved by two sets of offsets; errors of
// offsets as in move_driver.h; errors of key poses as in key_pose::add_pass, or key poses of a driver that the skeleton
// does not move.
Result<Driver> add_driver(const DriverParameters& parameters, const DeformerInput& input);

}  // namespace surface_ffd

struct SharedDrivers {
  // For control meshes that layers move, by their number: the part of the mesh of the model that is used.
  std::map<std::size_t, DriverPart> parts;
  std::vector<std::pair<DriverParameters, surface_ffd::Driver>> drivers;
  // First palette entries of the frames that earlier layers have posed, by the number of the control mesh.
  std::map<std::size_t, std::uint32_t> element_frames;
  std::map<std::size_t, std::uint32_t> estimated_frames;  // estimated frames of its vertices
};

}  // namespace pelt
