// SPDX-License-Identifier: MIT
// The pose kernel of key poses (shaders/driver/key_pose/pose.h): what its records must hold. Errors: words past the
// table, a joint or an input that is not there, a number that is not finite, keys that do not ascend.
#pragma once

#include "engine/character/pose_kernels.h"
#include "engine/character/table_reader.h"

namespace pelt::key_pose {

// Why the words of an angle (shaders/swing_twist.h) cannot be read; nullptr where they can.
const char* check_angle(const TableReader& words, const CharacterData& data, std::uint64_t word);

}  // namespace pelt::key_pose
