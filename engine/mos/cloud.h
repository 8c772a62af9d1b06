// SPDX-License-Identifier: MIT
// Skin to control points that are in no order: inverse distance, radial basis functions, a cage's limit surface.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <pelt/mos.h>
#include <pelt/result.h>

#include "engine/deformer/builder.h"
#include "engine/mos/control_points.h"
#include "engine/mos/edits.h"
#include "engine/mos/strategies.h"

namespace pelt::mos {

// One binding a target, each of one offset group, or two where the frames of points are not the identity at bind; as
// many again where weights are negative. `cage`: of kCatmullClark. Errors:
// RadialBasis::create's; a vertex at which the blended frame is singular.
Result<std::vector<MeshBinding>> bind_cloud(const MosParameters& parameters, const ControlPoints& points,
                                            const std::optional<CageSurface>& cage, const PointEdits& edits,
                                            std::span<const glm::dmat4> at_bind, const DeformerInput& input);

}  // namespace pelt::mos
