// SPDX-License-Identifier: MIT
// Groups vertices by the palette entries that move them, for finding the bounds of a pose (shaders/bounds/bounds.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/character.h>

#include "shaders/bounds/bounds.h"

namespace pelt {

struct BoundsRecords {
  std::vector<shared::BoundsRecord> records;  // of the deformers, then of painted weights
  std::vector<std::uint32_t> entries;         // words; appended to the records in one array
  std::uint32_t count = 0;                    // number of deformer records
};

BoundsRecords find_bounds_records(const CharacterData& data);

// Returns the factor by which the local frames of each vertex magnify offsets of morph targets, at most; 1 without
// frames.
std::vector<float> local_frame_factors(const PackedBinding& binding);

// Finds one record for each group of a skin's vertices, for its deformer: group g is vertices[ends[g - 1]] to
// vertices[ends[g]], without the last. A group that more than `most_entries` entries move, or more than
// kBoundsDualEntries dual quaternions, gets a record without entries. first_word counts from the first entry.
BoundsRecords find_group_records(const CharacterMesh& mesh, std::span<const std::uint32_t> vertices,
                                 std::span<const std::size_t> ends, std::uint32_t most_entries);

}  // namespace pelt
