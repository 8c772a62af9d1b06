// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <pelt/mesh.h>

namespace pelt::from_skin {

// Returns a density that keeps more triangles in bends of a surface. It is `strength` (1 or more) within 1.5 limb radii
// of a seam, a curve on which the joint with the largest weight changes, and falls to 1 at three radii. Elsewhere it
// rises up to `strength` with the mix of weights. It is 1 everywhere for a surface without weights.
std::vector<float> joint_density(const Mesh& surface, float strength);

}  // namespace pelt::from_skin
