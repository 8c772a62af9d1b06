// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include <pelt/model.h>

namespace pelt::from_skin {

// The number of triangles of a driver and their density, chosen so that it is fine enough at thin limbs.
struct LimbSizing {
  std::size_t triangles = 0;   // at least the requested number
  std::vector<float> density;  // per vertex, >= 1; 1 is that of the requested triangles, spread evenly
};

// Returns the sizing for a surface with weights over the model's bound joints. Edges are at most `of_distance` of the
// distance to the bone, since a coarser driver carries a limb as a whole and not its sides. They are at least an eighth
// as long as those of `triangles` even triangles, and there are at most four times as many triangles.
LimbSizing limb_sizing(const Mesh& surface, std::size_t triangles, double of_distance, const Model& model);

}  // namespace pelt::from_skin
