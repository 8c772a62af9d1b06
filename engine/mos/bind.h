// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <pelt/mos.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/deformer/builder.h"

namespace pelt::mos {

// Multipoint offset sampling (US 2013/0088497; docs/mathematics.md section 3): one binding a target. B-spline: the
// tables of the chains' frames become palette entries, and a vertex follows the two samples beside its bind point on
// each of its chains; the other strategies have an entry a control point and an offset a vertex
// (MeshBinding::offset_groups). The result does not depend on the thread count. Errors: parameters out of range, a
// joint, chain or point that is not there, points that coincide, a vertex where the blended frame is singular, a
// palette too large.
Result<std::vector<MeshBinding>> bind(const MosParameters& parameters, const DeformerInput& input);

}  // namespace pelt::mos
