// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

struct Dressed {
  Model model;
  std::string body;                // name of the mesh that holds the whole body; empty: the model has none
  bool copied_weights = false;     // every mesh of the garment got the body's weights, already spread
  std::vector<std::string> notes;  // one sentence each
};

// Puts a garment on a body: the model has the garment's meshes and materials, the body's skeleton and clips, and all of
// the body's meshes as one mesh, which can drive the garment. Both must stand in the same space at bind. The garment
// keeps its weights if the body has all its joints by name; otherwise they are dropped with a note. Errors: the garment
// has no mesh, or the body has no triangles.
Result<Dressed> dress(Model garment, const Model& body);

// Does the same without the body's mesh: a garment's mesh without weights takes those of the closest points of the
// body. They are spread along the cloth, so that it bends smoothly between the stiff parts of the body
// (spread_weights.h, by half a radius of the limb). `threads`: 0 for all cores. A further error: no mesh of the body
// has weights.
Result<Dressed> dress_by_weights(Model garment, const Model& body, unsigned threads = 0);

}  // namespace pelt
