// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

struct Dressed {
  Model model;
  std::string body;                // the body as one mesh of the model; empty: it is not in the model
  bool copied_weights = false;     // all meshes of the garment have weights of the body's, spread already
  std::vector<std::string> notes;  // one sentence each
};

// A garment on a body: the garment's meshes and materials, the body's skeleton and clips, and all the body's meshes as
// one, which is to drive them. Both stand in the same space at bind. The garment's weights stay where the body has all
// its joints by name; otherwise they go, with a note. Errors: one of them has no mesh, the body has no triangles.
Result<Dressed> dress(Model garment, const Model& body);

// The same without the body's mesh: meshes without weights take those of the closest points of the body. They are
// spread along the cloth, so that it passes from one stiff part of a body to the next as well (spread_weights.h, by
// half a radius of the limb). `threads`: 0 for all cores. Errors also: no mesh of the body has weights.
Result<Dressed> dress_by_weights(Model garment, const Model& body, unsigned threads = 0);

}  // namespace pelt
