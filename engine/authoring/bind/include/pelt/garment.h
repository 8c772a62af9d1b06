// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

struct Dressed {
  Model model;
  std::string body;                // name of the mesh that has the whole body; empty: no such mesh
  bool copied_weights = false;     // all meshes of the garment have the body's weights, with wider transitions
  std::vector<std::string> notes;  // one sentence each
};

// Puts a garment on a body. The result has the garment's meshes and materials, the body's skeleton and clips, and all
// of the body's meshes as one mesh, which can drive the garment. At bind, both must be in the same space. The garment
// keeps its weights if the body has all its joints by name; otherwise they are dropped with a note.
//
// Morph targets of the body that move points beneath a mesh of the garment become targets of that mesh, by the same
// names, unless it has its own; clips and expressions of the body move them. Their offsets, metres, are those of the
// points that the cloth lies on, filled in as weights are (below). They do not move the mesh of the body. Anchors of
// the garment mark the body's joints of the same names; others are dropped with a note. Errors: the garment has no
// mesh, the body no triangles, or one of them properties that bind refuses.
Result<Dressed> dress(Model garment, const Model& body, unsigned threads = 0);

// Does the same without the body's mesh. A mesh of the garment without weights takes those of the skin that it lies on
// (fitting_points.h), filled in smoothly elsewhere (inpaint.h), and spread along the cloth by half a radius of the limb
// (spread_weights.h) so that it bends smoothly between the rigid regions of the body. Parts smaller than 5% of the
// garment follow the cloth or the body rigidly; parts that lie on no skin take the weights of the closest points, with
// a note. `threads`: 0 for all CPUs. Further error: no mesh of the body has weights.
Result<Dressed> dress_by_weights(Model garment, const Model& body, unsigned threads = 0);

}  // namespace pelt
