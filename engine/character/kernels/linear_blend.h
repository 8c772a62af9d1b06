// SPDX-License-Identifier: MIT
// Shared by the pose kernels of linear blend and dual quaternion: records of joints (shaders/linear_blend/pose.h).
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::linear_blend {

// Errors: a joint that does not exist, a non-finite matrix.
Result<void> validate_records(const PalettePass& pass, const CharacterData& data);

EntryRest joint_rest(const PassEntry& entry);
std::string joint_label(const PassEntry& entry, const CharacterData& data);
void append_joint(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources);

}  // namespace pelt::linear_blend
