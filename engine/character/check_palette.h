// SPDX-License-Identifier: MIT
// Checks that every palette entry is written exactly once, and that a mesh blends only entries of the right content.
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

#include "engine/character/pose_kernels.h"

namespace pelt {

// The content of a palette entry, and when it is ready.
struct PaletteEntry {
  EntryContent content = EntryContent::kNothing;
  std::uint32_t first_stage = 0;  // the first stage in which a blend may read it
};

// Finds the writer of each palette entry. Precondition: the meshes are valid.
Result<std::vector<PaletteEntry>> find_writers(const CharacterData& data);

// Checks every palette entry that the blend of this mesh loads, padding included: even at weight 0, an unwritten entry
// is not safe to load. Raises `entries_read` to one past the last of them.
Result<void> check_influences(const CharacterMesh& mesh, const std::vector<PaletteEntry>& entries,
                              std::uint32_t& entries_read);

// Checks the entries that offset the vertices of a mesh before its blend.
Result<void> check_offsets(const CharacterMesh& mesh, const std::vector<PaletteEntry>& entries);

// Checks the morph targets of an otherwise valid mesh. `entries_read`: as above.
Result<void> check_morphs(const CharacterMesh& mesh, const std::vector<PaletteEntry>& entries,
                          std::uint32_t& entries_read);

// Checks the palette pass that painted weights blend.
Result<void> check_painted_pass(const CharacterData& data);

// Checks the painted weights of a mesh. Precondition: check_painted_pass has passed.
Result<void> check_painted(const CharacterMesh& mesh, const CharacterData& data);

}  // namespace pelt
