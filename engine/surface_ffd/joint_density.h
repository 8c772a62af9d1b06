// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <pelt/mesh.h>

namespace pelt::surface_ffd {

// A density that keeps more triangles where a surface bends: `strength` (1 or more) within a limb's radius of where two
// joints meet, that is where the largest weight passes from one to the other, 1 from three radii on, and between them
// wherever else weights mix. 1 everywhere for a surface without weights.
std::vector<float> joint_density(const Mesh& surface, float strength);

}  // namespace pelt::surface_ffd
