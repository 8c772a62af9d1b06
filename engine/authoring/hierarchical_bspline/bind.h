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
// vertex keeps its coordinates in tangent-plane frames of the surface: the four round its place on it, blended
// bilinearly, or the one at its place (frames_per_span 0). The result does not depend on the thread count. Errors:
// those of Surface::create and add_levels, a target without texture coordinates where its places are these, and a
// surface without a tangent plane at a frame.
Result<std::vector<MeshBinding>> bind(const HierarchicalBsplineParameters& parameters, const DeformerInput& input);

// Moves stored control vertices (SurfaceLevel::moves).
std::optional<Character> move_bound(const LayerEdit& edit);

}  // namespace pelt::hierarchical_bspline
