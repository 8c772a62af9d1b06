// SPDX-License-Identifier: MIT
// Parses the names of joints, across the programs that export them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <pelt/skeleton.h>

namespace pelt {

enum class Side { kNone, kLeft, kRight };

// A joint's name without namespace, numbers, single letters, and generic words for joints (unless no other word
// remains), in lower case and joined: "mixamorig:LeftForeArm", "forearm.L", "DEF-forearm.L.001", "Bip01 L Forearm",
// "J_Bip_L_ForeArm" and "lForeArm" are all {kLeft, "forearm"}. MikuMikuDance's words become English ones.
struct JointName {
  Side side = Side::kNone;
  std::string word;
  friend bool operator==(const JointName&, const JointName&) = default;
};

JointName parse_joint_name(std::string_view name);

// Returns a name for the purpose of each joint: that of its human bone, or else its own.
std::vector<JointName> parse_joint_names(const Skeleton& skeleton);

// Returns true if `words`, separated by spaces, contain `word`.
bool holds_word(std::string_view words, std::string_view word);

}  // namespace pelt
