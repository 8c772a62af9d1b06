// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <pelt/result.h>
#include <pelt/surface_ffd.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/deformer/layer_edit.h"

namespace pelt::surface_ffd {

// Returns how many of the nearest elements bind reads for a vertex, if known beforehand.
std::optional<std::size_t> nearest_elements(const SurfaceFfdParameters& parameters);

// Binds by surface-oriented FFD, basic or extended (Singh & Kokkevis 2000; docs/mathematics.md section 1), and returns
// one binding per target. Adds the driver to the builder as a control mesh. Computes weights in double precision; the
// result does not depend on the thread count. Errors: parameters out of range, a driver that cannot be found or made or
// has no triangle with area.
Result<std::vector<MeshBinding>> bind(const SurfaceFfdParameters& parameters, const DeformerInput& input);

// Moves the driver's vertices (DriverParameters::offsets).
std::optional<Character> move_bound(const LayerEdit& edit);

}  // namespace pelt::surface_ffd
