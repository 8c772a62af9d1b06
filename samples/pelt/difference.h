// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include <pelt/character.h>
#include <pelt/result.h>

#include "samples/renderer/framing.h"

namespace pelt::samples {

// The pose in which a character differs most from linear blend, and how to look at the place.
struct LargestDifference {
  InstancePose pose;
  std::string name;         // of the pose: "left_hand twisted 120"
  std::uint32_t joint = 0;  // the nearest to the place
  double distance = 0;      // between a vertex and the same by linear blend, over the skin's diagonal at rest
  float yaw =
      0;  // degrees about +y, from the front, of a camera that sees the distance and the joint's bone from the side
};

// Searches frames of the clips and turns of single joints (clip_poses, sample_poses). `linear_blend`: the same skins,
// bound by linear blend. Errors: nothing differs; those of LinearComparison.
Result<LargestDifference> largest_difference(const Character& character, const Character& linear_blend);

}  // namespace pelt::samples
