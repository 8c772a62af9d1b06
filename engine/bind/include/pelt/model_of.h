// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/character.h>
#include <pelt/model.h>

namespace pelt {

// Returns the model that a character was bound from, as far as the character keeps it: bind(model_of(character), rig)
// moves the same skin by another deformer, such as linear blend. Vertices are in the model's order. Normals and
// tangents are those of the packed form (pelt/shaders/octahedral.h). Control meshes and the importer's report are left
// out.
Model model_of(const Character& character);

}  // namespace pelt
