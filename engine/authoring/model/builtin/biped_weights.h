// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/sparse_rows.h>

#include "engine/authoring/model/builtin/biped_anatomy.h"
#include "engine/authoring/model/builtin/surface_mesher.h"

namespace pelt {

// Returns weights as a rigger would paint them on the built-in biped's skin: columns are BipedJoint, four a vertex at
// most.
SparseRows biped_weights(const BipedShape& shape, const HalfMesh& half, const Mirrored& whole);

}  // namespace pelt
