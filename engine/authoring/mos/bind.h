// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include <pelt/mos.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/deformer/layer_edit.h"

namespace pelt::mos {

// Binds by multipoint offset sampling (US 2013/0088497; docs/mathematics.md section 3) and returns one binding per
// target. With the B-spline strategy, the tables of frames along the chains become palette entries, and a vertex
// follows the two samples next to it on each of its chains. With the others, each control point has a palette entry,
// and each vertex an offset (MeshBinding::offset_groups). The result does not depend on the thread count. Errors:
// parameters out of range, a missing joint, chain or point, coincident points, a singular blended frame, a palette too
// large.
Result<std::vector<MeshBinding>> bind(const MosParameters& parameters, const DeformerInput& input);

// Slides control points, unless another layer has any: layers may share points.
std::optional<Character> move_bound(const LayerEdit& edit);

}  // namespace pelt::mos
