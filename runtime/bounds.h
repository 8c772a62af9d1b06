// SPDX-License-Identifier: MIT
// Of which rest positions each palette entry moves some: what bounds of a pose follow from (shaders/bounds/bounds.h).
#pragma once

#include <vector>

#include <pelt/character.h>

#include "shaders/bounds/bounds.h"

namespace pelt::runtime {

struct BoundsRecords {
  std::vector<shared::BoundsRecord> records;  // of the deformers' entries, then of the fits'
  std::uint32_t count = 0;                    // of the former
  float grow = 0;                             // shared::BoundsJob::grow
};

// Of all skin of a character.
BoundsRecords find_bounds_records(const CharacterData& data);

}  // namespace pelt::runtime
