// SPDX-License-Identifier: MIT
// What joints are called, across the programs that export them.
#pragma once

#include <string>
#include <string_view>

namespace pelt {

enum class Side { kNone, kLeft, kRight };

// A name without its namespace, numbers, single letters, and words that say only that it is a joint (where another word
// is left): lower case, words run together. "mixamorig:LeftForeArm", "forearm.L", "DEF-forearm.L.001", "Bip01 L
// Forearm", "J_Bip_L_ForeArm" and "lForeArm" are all {kLeft, "forearm"}.
struct JointName {
  Side side = Side::kNone;
  std::string word;
  friend bool operator==(const JointName&, const JointName&) = default;
};

JointName parse_joint_name(std::string_view name);

// Whether `words`, separated by spaces, hold `word`.
bool holds_word(std::string_view words, std::string_view word);

}  // namespace pelt
