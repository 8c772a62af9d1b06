// SPDX-License-Identifier: MIT
// A judge's findings for people: the places where a deformer is worst, in words, and the share of skin that linear
// blend took over.
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
  Fault fault;  // Fault::frame is an index in the judge's poses
  JudgedPose pose;
  std::string mesh;
  std::string joint;         // joint with the largest weight at the vertex; empty: it has no weights
  std::uint32_t vertex = 0;  // index in the model's mesh
  float left = 0;            // share of that vertex that linear blend took over
};

// Describes a place: "stretched 2.3 times at joint 'upper_arm.L' in pose 'walk at 0.42 s' (mesh 'body', vertex
// 12): 40.0% left to linear blend".
std::string in_words(const JudgedPlace& place);

// Returns "stretch", "strain" or "far".
std::string_view fault_name(FaultKind kind);

// Formats a share: "3.2%", "less than 0.1%".
std::string share_in_words(double share);

struct Verdict {
  std::size_t poses = 0;
  bool from_clips = false;
  std::vector<JudgedPlace> places;  // worst first, one for each joint, at most 12; scores of at least 0.5
  // Share of the skin's area that linear blend took over because the deformer did worse there; without the parts that
  // layers over * never move.
  double left = 0;
  double remaining = 0;  // worst score of the final character; more than 1: some skin still has a fault
};

// Describes the poses: "42 frames of its clips".
std::string poses_in_words(const Verdict& verdict);

// Describes how much linear blend took over, with the worst of its places; empty: nothing.
std::string left_in_words(const Verdict& verdict);

}  // namespace pelt
