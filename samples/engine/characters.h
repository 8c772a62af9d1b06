// SPDX-License-Identifier: MIT
// The characters of the game: built in, or loaded from files.
#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

#include "samples/renderer/framing.h"

namespace pelt::samples {

struct Walking {
  Character character;
  std::string name;                 // the deformer's, or the file's
  std::optional<glm::vec4> color;   // linear; none: draw the materials' colours
  Bounds bounds;                    // of the skin over the clip, model space
  std::optional<std::size_t> clip;  // index in CharacterData::clips; none: the character stands still
};

inline constexpr std::uint32_t kBuiltInCharacters = 4;

struct BuiltInOptions {
  std::size_t triangles = 6000;
  std::vector<std::size_t> levels{};  // triangles of each coarser level of detail, from level 1 on
  bool props = false;                 // with prop_anchors()
};

// Makes one of four characters of the built-in biped: thinned to what a figure in a crowd needs, each with its own
// deformer and colour. Precondition: which < kBuiltInCharacters.
Result<Walking> built_in_character(std::uint32_t which, const BuiltInOptions& options = {});

// Loads a character from a .pelt or .glb file. Errors: load_character's; a character without skin.
Result<Walking> load_walking(const std::string& file);

// Computes the joint matrices at a time of the character's clip, which loops. Shape: `local` and `joints` have one
// entry per joint.
void pose_at(const Walking& walking, float seconds, std::vector<Transform>& local, std::vector<glm::mat4>& joints);

}  // namespace pelt::samples
