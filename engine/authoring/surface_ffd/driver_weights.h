// SPDX-License-Identifier: MIT
// Gives weights to a driver that has none of its own.
#pragma once

#include <pelt/mesh.h>
#include <pelt/result.h>
#include <pelt/sparse_rows.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/surface_ffd/driver_mesh.h"

namespace pelt::surface_ffd {

// Returns the painted weights of the closest points of the targets, over the model's bound joints. Errors: no target
// has weights.
Result<SparseRows> transferred_weights(const DriverSource& driver, const DeformerInput& input);

// Returns weights that bind each vertex rigidly to the closest limb (Singh & Kokkevis 2000, section 4). Errors: there
// is no limb.
Result<SparseRows> closest_limb_weights(const Mesh& driver, const DeformerInput& input);

}  // namespace pelt::surface_ffd
