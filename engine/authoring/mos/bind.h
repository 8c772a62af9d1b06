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
// target. With the B-spline strategy the tables of frames along the chains become palette entries, and a vertex follows
// the two samples beside its place on each of its chains. With the other strategies each control point has a palette
// entry, and each vertex an offset (MeshBinding::offset_groups). The result does not depend on the thread count.
// Errors: parameters out of range, a joint, chain or point that does not exist, points that coincide, a vertex at which
// the blended frame is singular, a palette too large.
Result<std::vector<MeshBinding>> bind(const MosParameters& parameters, const DeformerInput& input);

// Slides control points, if no other layer has any: layers may share points.
std::optional<Character> move_bound(const LayerEdit& edit);

}  // namespace pelt::mos
