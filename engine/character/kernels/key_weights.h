// SPDX-License-Identifier: MIT
// Reads the records of the key weights kernel (shaders/key_weights/pose.h). Errors of its check: words past the table,
// a joint or input that does not exist, a non-finite number, keys that do not ascend.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/character/pose_kernels.h"
#include "engine/character/table_reader.h"

namespace pelt::key_weights {

// Returns the reason why the words of an angle (shaders/swing_twist.h) cannot be read, or nullptr.
const char* check_angle(const TableReader& words, const CharacterData& data, std::uint64_t word);

// Appends the joints and inputs that a weight depends on. `place`: its index among the palette's floats.
void append_weight_sources(const CharacterData& data, std::uint32_t place, std::vector<EntrySource>& sources);

// A weight's share that an input controls (kKeyRamp).
struct RampKey {
  std::uint32_t entry = 0;   // palette entry of the weight
  std::uint32_t weight = 0;  // its number in the entry, from 0
  std::uint32_t input = 0;
  float from = 0;  // the input's value at which the share starts to grow
  float factor = 0;
};

// Returns the ramp keys of a pass of this kernel.
std::vector<RampKey> ramp_keys(const PalettePass& pass);

}  // namespace pelt::key_weights
