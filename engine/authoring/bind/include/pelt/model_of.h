// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <pelt/character.h>
#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

// Returns the model from which a character was bound, as far as the character keeps it: bind(model_of(character), rig)
// moves the same skin by another deformer, such as linear blend. Vertices are in the model's order. Normals and
// tangents are those of the packed form (pelt/shaders/octahedral.h). Control meshes, drawn lines (Model::lines), morph
// offsets longer than the mesh and the importer's report are left out. Morph targets expand to one offset per vertex,
// so a small malicious file can ask for many. Errors: kUnsupported if they take more than `most_morph_bytes`; the error
// names the mesh, but not the character's file.
Result<Model> model_of(const Character& character, std::uint64_t most_morph_bytes = std::uint64_t{1} << 30);

}  // namespace pelt
