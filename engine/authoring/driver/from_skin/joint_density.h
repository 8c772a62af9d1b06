// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <pelt/mesh.h>

namespace pelt::from_skin {

// Returns a density that keeps more triangles where a surface bends. It is `strength` (1 or more) within 1.5 limb radii
// of where two joints meet, that is where the largest weight passes from one to the other, and falls to 1 at three
// radii. Elsewhere it is the larger, up to `strength`, the more the weights mix. It is 1 everywhere for a surface
// without weights.
std::vector<float> joint_density(const Mesh& surface, float strength);

}  // namespace pelt::from_skin
