// SPDX-License-Identifier: MIT
// Shared by the pose kernels of patch samples: records of shaders/driver/patch_frame/pose.h.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::patch_frame {

// Errors: a table that is too short, a vertex that no earlier stage moves, a non-finite number.
Result<void> validate_records(const PalettePass& pass, const CharacterData& data);

EntryRest sample_rest(const PassEntry& entry);
std::string sample_label(const PassEntry& entry, const CharacterData& data);
void append_sample(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources);

}  // namespace pelt::patch_frame
