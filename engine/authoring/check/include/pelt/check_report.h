// SPDX-License-Identifier: MIT
// The report of the check at bind: the worst locations of a deformer, in words, and the fraction of skin that falls
// back to linear blend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/check_pose.h>
#include <pelt/defect.h>

namespace pelt {

struct DefectLocation {
  Defect defect;  // Defect::frame is an index in the checked poses
  CheckPose pose;
  std::string mesh;
  std::string joint;         // joint with the largest weight at the vertex; empty if it has no weights
  std::uint32_t vertex = 0;  // index in the model's mesh
  float fallback = 0;        // weight of linear blend at that vertex because of the check
  std::size_t count = 0;     // creases and inverted triangles: edges or triangles at that joint, over all poses
};

// Describes a location: "stretched 2.3 times at joint 'upper_arm.L' in pose 'walk at 0.42 s' (mesh 'body', vertex 12):
// there 40% linear blend".
std::string in_words(const DefectLocation& place);

// Returns "stretch", "strain", "far", "crease" or "inverted".
std::string_view defect_name(DefectKind kind);

// Formats a fraction: "3.2%", "less than 0.1%".
std::string share_in_words(double share);

struct CheckReport {
  std::size_t poses = 0;                // frames of clips, then poses of bind's own
  std::size_t clip_frames = 0;          // of these
  std::vector<DefectLocation> defects;  // worst first, one per joint, at most 12; scores of at least 0.5
  // Creases and inverted triangles, which do not fall back: the largest first, one per joint and kind, at most three
  // of clips, then at most three of other poses.
  std::vector<DefectLocation> shapes;
  // Fraction of the skin's area that falls back to linear blend because of defects; without the parts that layers over
  // * never move.
  double fallback = 0;
  double remaining = 0;  // worst score of the final character; above 1 some skin still has a defect
};

// Describes the poses: "42 frames of its clips and 20 other poses".
std::string poses_in_words(const CheckReport& report);

}  // namespace pelt
