// SPDX-License-Identifier: MIT
// A hierarchical B-spline round the tube of tests/support/tube.h.
#pragma once

#include <pelt/hierarchical_bspline.h>

#include "tests/support/tube.h"

namespace pelt::test {

// Returns a base grid of `rings` rings of 8 control vertices (closed along v) whose surface runs over the whole tube,
// at its radius. Rings before `joint1` are attached to joint0, those after it to joint1, the one at it to the middle of
// three sub-segments. It needs two levels.
HierarchicalBsplineParameters tube_surface(const TubeOptions& options = {}, std::uint32_t rings = 11);

// Returns a closed mesh of quads and, at its ends, triangles round the tube, one ring per metre, that follows the
// painting of the skin. It has creases, and an overlay with offsets, repainted vertices and some that follow joint0.
HierarchicalBsplineParameters tube_mesh_surface(std::uint32_t rings);

// Adds overlays: offsets on level 1 and 2, and vertices of level 1 that follow joint0 on the far side.
void add_overlays(HierarchicalBsplineParameters& surface);

}  // namespace pelt::test
