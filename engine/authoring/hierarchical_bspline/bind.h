// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/deformer/layer_edit.h"

namespace pelt::hierarchical_bspline {

// Binds to a hierarchical B-spline (Forsey 1994; docs/mathematics.md section 4) and returns one binding per target. A
// vertex keeps its coordinates in tangent-plane frames of the surface: in the four frames round its closest point,
// blended bilinearly, or in the one at that point (frames_per_span 0). The result does not depend on the thread count.
// Errors: those of Surface::create and add_levels, a target that lacks texture coordinates if the rig asks for them,
// and a surface without a tangent plane at a frame.
Result<std::vector<MeshBinding>> bind(const HierarchicalBsplineParameters& parameters, const DeformerInput& input);

// Moves stored control vertices (SurfaceLevel::moves).
std::optional<Character> move_bound(const LayerEdit& edit);

}  // namespace pelt::hierarchical_bspline
