// SPDX-License-Identifier: MIT
// The driver of a surface FFD in the builder: its source, its motion, and its frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
  Mesh mesh;                                   // model space at bind; has weights if the skeleton moves it
  SparseRows painting;                         // its own or painted weights, before they were spread
  Mesh source;                                 // the mesh before welding and refinement; groups of the rig refer to it
  std::vector<std::uint32_t> source_triangle;  // triangle of `source` for every triangle of the mesh
  std::vector<BsplinePatch> patches;           // parametric: the mesh holds their control vertices
  std::size_t control_mesh = 0;                // its number in the builder
  bool axis_points = false;                    // streamed; three points per vertex follow the vertices
  bool estimated_frames = false;               // its vertices' frames have no function and must be estimated
  SparseRows motion;                           // rows by which joints move it, before any offsets; may be empty
  bool sculpted = false;                       // offsets or masks may separate coincident vertices
  std::vector<bool> keyed;                     // whether key poses or morph targets move the vertex; empty: none
};

bool is_made_from_skin(const DriverParameters& driver);

// Returns true if twists spread along bones: the driver is no mesh of the model, and follows weights.
bool spreads_twists(const DriverParameters& driver);

// Adds the driver to the builder as a control mesh, unless it is a mesh of the model that a layer moves. A driver with
// weights follows them; other drivers take the weights of the closest points of the targets. Layers that name the same
// driver with the same parameters share it. Errors: those of find_source and weld_and_refine; no target has weights to
// transfer; a mesh that is driven in two ways, or moved by two sets of offsets; errors of offsets as in move_driver.h;
// errors of key poses as in key_pose::add_pass, or key poses of a driver that the skeleton does not move.
Result<Driver> add_driver(const DriverParameters& parameters, const DeformerInput& input);

}  // namespace surface_ffd

struct SharedDrivers {
  // For control meshes that layers move, by their number: the used part of the model's mesh.
  std::map<std::size_t, DriverPart> parts;
  std::vector<std::pair<DriverParameters, surface_ffd::Driver>> drivers;
  // First palette entries of the frames that earlier layers posed, by number of the control mesh.
  std::map<std::size_t, std::uint32_t> element_frames;
  std::map<std::size_t, std::uint32_t> estimated_frames;  // estimated frames of its vertices
};

}  // namespace pelt
