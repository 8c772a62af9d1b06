// SPDX-License-Identifier: MIT
// The built-in biped's joints and clips.
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/animation.h>
#include <pelt/skeleton.h>

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
  kLeftThumb,  // three joints for each finger, from the hand outward
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

// Returns the right joint of a left one; any other joint returns itself.
constexpr std::uint32_t mirrored_joint(std::uint32_t joint) {
  if (!is_left(joint)) return joint;
  return joint + (joint < kRightShoulder ? kRightShoulder - kLeftShoulder : kRightEye - kLeftEye);
}

// Makes the clips that builtin.h describes.
std::vector<Clip> biped_clips(const Skeleton& skeleton);

}  // namespace pelt
