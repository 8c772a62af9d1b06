// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <pelt/curve_skeleton.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt::curve_skeleton {

// Binds by curve-skeleton skinning (Yang, Somasekharan & Zhang 2006; docs/mathematics.md section 2) and returns one
// binding per target. The tables of frames along the curves become palette entries; a vertex follows the two samples
// next to its position on each of its curves. The result does not depend on the thread count. Errors: those of
// find_chains(), parameters out of range, floats that overlap on a bone, a joint, bone or curve that does not exist, a
// palette too large.
Result<std::vector<MeshBinding>> bind(const CurveSkeletonParameters& parameters, const DeformerInput& input);

}  // namespace pelt::curve_skeleton
