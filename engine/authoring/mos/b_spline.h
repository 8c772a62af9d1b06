// SPDX-License-Identifier: MIT
// Binds skin to the B-splines of chains of control points, through tables of frames along their windows.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/mos.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/mos/control_points.h"
#include "engine/authoring/mos/edits.h"

namespace pelt::mos {

// Returns one binding per target. Errors: those of chain::Attacher::attach() and chain::place_all_samples(), and a
// vertex that follows a sample with a singular frame at bind.
Result<std::vector<MeshBinding>> bind_b_spline(const MosParameters& parameters, const ControlPoints& points,
                                               const PointEdits& edits, std::span<const glm::dmat4> at_bind,
                                               const DeformerInput& input);

}  // namespace pelt::mos
