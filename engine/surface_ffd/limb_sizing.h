// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include <pelt/model.h>

namespace pelt::surface_ffd {

// How fine a driver has to be where limbs are thin.
struct LimbSizing {
  std::size_t triangles = 0;   // at least those asked
  std::vector<float> density;  // of each vertex of the surface, relative to the asked triangles spread evenly; >= 1
};

// For a surface with weights over the model's bound joints: edges of at most 0.7 of the distance to the bone, since a
// coarser driver carries a limb as a whole rather than its sides, down to an eighth of the edges that `triangles` would
// have if they were even, and of at most four times as many triangles.
LimbSizing limb_sizing(const Mesh& surface, std::size_t triangles, const Model& model);

}  // namespace pelt::surface_ffd
