// SPDX-License-Identifier: MIT
// Makes the vertices of a cage control points (US 2013/0088497, "Catmull-Clark").
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <pelt/mos.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/mos/control_points.h"
#include "engine/authoring/mos/strategies.h"

namespace pelt::mos {

// Returns one point per vertex of the cage that the rig names, without chains; the name of a point is the number of its
// vertex. Each point moves with the joint that moves it the most by the weights of the cage. If it has none, it moves
// with the nearest bone of the chains laid over the skeleton, and near a joint (nearer than to the bone) it has a part
// of the turn of the joint. Errors: a mesh or file that does not exist or is no cage.
Result<ControlPoints> settle_cage(const MosParameters& parameters, std::span<const std::uint32_t> meshes,
                                  const DeformerInput& input, std::optional<CageSurface>& cage);

}  // namespace pelt::mos
