// SPDX-License-Identifier: MIT
// What a judge found, for people: the places where a deformer is worst, in words, and what was left to linear blend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/fault.h>
#include <pelt/judged_pose.h>

namespace pelt {

struct JudgedPlace {
  std::string where;  // "left armpit"
  std::string when;   // "arm raised 140", "knee bent 74 in 'walk' at 0.42 s"
  Fault fault;        // its frame is in the judge's poses
  JudgedPose pose;
  std::string mesh;
  std::string joint;         // with the largest weight there
  std::uint32_t vertex = 0;  // in the model's mesh
  float left = 0;            // how much of that vertex is left to linear blend for it
};

// "left armpit, arm raised 140: stretched 2.3 times (mesh 'body', joint 'upper_arm.L'): 40.0% left to linear blend"
std::string in_words(const JudgedPlace& place);

// stretch, strain, far
std::string_view fault_name(FaultKind kind);

// "3.2%", "less than 0.1%"
std::string share_in_words(double share);

struct Verdict {
  std::size_t poses = 0;
  bool from_clips = false;
  std::vector<JudgedPlace> places;  // worst first, one for each joint; those at half of what is allowed or more
  // Of the skin's area, what is left to linear blend since the deformer did worse there; parts that were never its own
  // do not count.
  double left = 0;
  double remaining = 0;  // score of the worst fault of the character as it is; more than 1: some skin stays at fault
};

// "42 frames of its clips"
std::string poses_in_words(const Verdict& verdict);

// How much is left to linear blend, and for the worst of which places; empty: nothing is.
std::string left_in_words(const Verdict& verdict);

}  // namespace pelt
