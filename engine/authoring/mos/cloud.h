// SPDX-License-Identifier: MIT
// Binds skin to unordered control points: inverse distance, radial basis functions, limit surface of a cage.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <pelt/mos.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/mos/control_points.h"
#include "engine/authoring/mos/edits.h"
#include "engine/authoring/mos/strategies.h"

namespace pelt::mos {

// Returns one binding per target. Each has one offset group, or two if weights are negative. `cage` is required for
// kCatmullClark. Errors: those of RadialBasis::create, and a vertex at which the blended frame is singular.
Result<std::vector<MeshBinding>> bind_cloud(const MosParameters& parameters, const ControlPoints& points,
                                            const std::optional<CageSurface>& cage, const PointEdits& edits,
                                            std::span<const glm::dmat4> at_bind, const DeformerInput& input);

}  // namespace pelt::mos
