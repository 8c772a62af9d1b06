// SPDX-License-Identifier: MIT
// The built-in biped's joints and how it moves.
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/model.h>

namespace pelt {

enum BipedJoint : std::uint32_t {
  kRoot,
  kHips,
  kSpine,
  kChest,
  kNeck,
  kHead,
  kLeftShoulder,
  kLeftUpperArm,
  kLeftForearm,
  kLeftHand,
  kLeftThigh,
  kLeftShin,
  kLeftFoot,
  kRightShoulder,
  kRightUpperArm,
  kRightForearm,
  kRightHand,
  kRightThigh,
  kRightShin,
  kRightFoot,
  kJaw,
  kLeftEye,
  kLeftUpperLid,
  kLeftLowerLid,
  kLeftToes,
  kLeftThumb,  // three joints a finger, from the hand outward
  kLeftIndex = kLeftThumb + 3,
  kLeftMiddle = kLeftIndex + 3,
  kLeftRing = kLeftMiddle + 3,
  kLeftPinky = kLeftRing + 3,
  kRightEye = kLeftPinky + 3,
  kRightUpperLid,
  kRightLowerLid,
  kRightToes,
  kRightThumb,
  kBipedJointCount = kRightThumb + 15
};

constexpr bool is_left(std::uint32_t joint) {
  return (joint >= kLeftShoulder && joint <= kLeftFoot) || (joint >= kLeftEye && joint < kRightEye);
}

// Right joint of a left one; any other joint is its own.
constexpr std::uint32_t mirrored_joint(std::uint32_t joint) {
  if (!is_left(joint)) return joint;
  return joint + (joint < kRightShoulder ? kRightShoulder - kLeftShoulder : kRightEye - kLeftEye);
}

// builtin.h says what they show.
std::vector<Clip> biped_clips(const Skeleton& skeleton);

}  // namespace pelt
