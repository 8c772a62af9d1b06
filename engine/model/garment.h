// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/model/model.h"

namespace pelt {

struct Dressed {
  Model model;
  std::string body;                // the body as one mesh of the model
  std::vector<std::string> notes;  // one sentence each
};

// A garment on a body: the garment's meshes and materials, the body's skeleton and clips, and all the body's meshes as
// one, which is to drive them. Both stand in the same space at bind. The garment's weights stay where the body has all
// its joints by name; otherwise they go, with a note. Errors: one of them has no mesh, the body has no triangles.
Result<Dressed> dress(Model garment, const Model& body);

}  // namespace pelt
