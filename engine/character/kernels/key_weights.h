// SPDX-License-Identifier: MIT
// The pose kernel of key weights (shaders/key_weights/pose.h): what its records must hold. Errors: words past the
// table, a joint or an input that is not there, a number that is not finite, keys that do not ascend.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/character/pose_kernels.h"
#include "engine/character/table_reader.h"

namespace pelt::key_weights {

// Returns why the words of an angle (shaders/swing_twist.h) cannot be read, or nullptr where they can.
const char* check_angle(const TableReader& words, const CharacterData& data, std::uint64_t word);

// Appends the joints and inputs that a weight depends on. `place`: its place among the floats of the palette.
void append_weight_sources(const CharacterData& data, std::uint32_t place, std::vector<EntrySource>& sources);

// A share of an input in a weight (kKeyRamp).
struct RampKey {
  std::uint32_t slot = 0;    // palette entry of the weight
  std::uint32_t weight = 0;  // its number in the entry, from 0 on
  std::uint32_t input = 0;
  float from = 0;  // the input's value from which it counts
  float factor = 0;
};

// Returns those of a pass of this kernel.
std::vector<RampKey> ramp_keys(const PalettePass& pass);

}  // namespace pelt::key_weights
