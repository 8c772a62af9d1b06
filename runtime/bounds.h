// SPDX-License-Identifier: MIT
// For each palette entry, the box of the rest positions that it moves: the bounds of a pose are found from these boxes
// (shaders/bounds/bounds.h).
#pragma once

#include <vector>

#include <pelt/character.h>

#include "shaders/bounds/bounds.h"

namespace pelt::runtime {

struct BoundsRecords {
  std::vector<shared::BoundsRecord> records;  // the deformers' records, then the fits'
  std::uint32_t count = 0;                    // number of the deformers' records
  float grow = 0;                             // shared::BoundsJob::grow
};

// Finds the records for all skin of a character.
BoundsRecords find_bounds_records(const CharacterData& data);

}  // namespace pelt::runtime
