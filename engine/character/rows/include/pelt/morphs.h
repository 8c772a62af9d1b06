// SPDX-License-Identifier: MIT
// Morph targets of a skin, in the GPU's layout.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

namespace pelt {

// The offsets that the targets of one mesh add to its vertices before any other motion (glTF 2.0, section 3.7.2.2;
// layout and decoding: shaders/morph/morph.h). The weights are controls of the character, kMorphTarget; a pass of
// kKeyWeights writes them to the palette.
//
//   slices   ceil(n/32)+1   first column of slice s of the mesh's rows
//   columns  x              index of the target's weight (shared::morph_weight_place);
//            y              unit of the integers of its positions, metres: a float as a word
//   offsets  words          32 rows of row_words words per column: word (p * row_words + k) * 32 + r is word k of row
//   r:
//                           x and y of the position, z, three signed integers of 16 bits; normal and tangent, each
//                           three signed integers of 10 bits in units of 2/511. p numbers the columns target by
//                           target, those of each in the order of slices
//
// The error of a position component is at most half a unit: 1/65534 of the largest component of its column.
struct PackedMorphs {
  std::uint32_t target_count = 0;  // of the model's mesh
  std::uint32_t first_entry = 0;   // palette entry of the first targets' weights
  std::uint32_t row_words = 2;     // 2: targets move only positions; 3: normals too; 4: tangents too
  std::vector<std::uint32_t> slices;
  std::vector<glm::uvec2> columns;
  std::vector<std::uint32_t> offsets;

  std::uint32_t entry_count() const;  // palette entries of the weights
};

}  // namespace pelt
