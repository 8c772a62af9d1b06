// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/character.h>
#include <pelt/model.h>

namespace pelt {

// The model that a character was bound from, as far as it keeps it: bind(model_of(character), rig) shows the same skin
// moved by another deformer, linear blend say. Vertices stand in the model's order. Normals and tangents have been
// through their packed form (pelt/shaders/octahedral.h); control meshes are left out, and so is what the importer
// reported.
Model model_of(const Character& character);

}  // namespace pelt
