// SPDX-License-Identifier: MIT
// Groups of vertices and how palette entries move them: the bounds of a pose are found from these (shaders/bounds/
// bounds.h).
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/character.h>

#include "shaders/bounds/bounds.h"

namespace pelt {

struct BoundsRecords {
  std::vector<shared::BoundsRecord> records;  // the deformers', then those of painted weights
  std::vector<std::uint32_t> entries;         // words; in one array they follow the records
  std::uint32_t count = 0;                    // number of the deformers' records
};

// Finds the records for all skin of a character.
BoundsRecords find_bounds_records(const CharacterData& data);

}  // namespace pelt
