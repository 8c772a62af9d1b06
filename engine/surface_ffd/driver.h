// SPDX-License-Identifier: MIT
// The driver of a surface FFD: where its mesh comes from and how it follows the skeleton.
#pragma once

#include <cstddef>

#include "engine/character/builder.h"
#include "engine/core/result.h"
#include "engine/rig/rig.h"
#include "engine/surface_ffd/area.h"

namespace pelt::surface_ffd {

struct Driver {
  Mesh mesh;                     // model space at bind
  std::size_t control_mesh = 0;  // in the builder
};

// The driver as a control mesh of the builder: a mesh of the model, the meshes of a file laid together, or the targets
// welded by position and simplified to about parameters.triangles. A mesh of the model that has weights follows by
// them; other drivers take the weights of the closest points of the targets. Errors: no such mesh or file, both named,
// no triangles, no target has the weights that are to be transferred, one driver is to follow in two ways.
Result<Driver> add_driver(const DriverParameters& parameters, const DeformerInput& input);

}  // namespace pelt::surface_ffd
