// SPDX-License-Identifier: MIT
// The vertices of a cage as control points (US 2013/0088497, "Catmull-Clark").
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <pelt/mos.h>
#include <pelt/result.h>

#include "engine/deformer/builder.h"
#include "engine/mos/control_points.h"
#include "engine/mos/strategies.h"

namespace pelt::mos {

// The cage that the rig names, a point a vertex, named by the number of that, without chains. Each moves with the joint
// that moves it the most by the cage's weights; where it has none, with the nearest bone of the chains laid over the
// skeleton, and near a joint (as near as it is to the bone) it takes part of its turn. Errors: a mesh or file that is
// not there or no cage.
Result<ControlPoints> settle_cage(const MosParameters& parameters, std::span<const std::uint32_t> meshes,
                                  const DeformerInput& input, std::optional<CageSurface>& cage);

}  // namespace pelt::mos
