// SPDX-License-Identifier: MIT
// The built-in biped's joints and how it moves.
#pragma once

#include <cstdint>

#include "engine/model/model.h"

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
  kBipedJointCount
};

// Right joint of a left one; any other joint is its own.
constexpr std::uint32_t mirrored_joint(std::uint32_t joint) {
  return joint >= kLeftShoulder && joint <= kLeftFoot ? joint + (kRightShoulder - kLeftShoulder) : joint;
}

// Walk in place, one second and a tenth, loops.
Clip biped_walk(const Skeleton& skeleton);

// Rest, a pose that shows strength on the right leg reached at 1.0 s and held to 1.6 s, rest at 2.4 s; the same on the
// left leg 2.4 s later.
Clip biped_flex(const Skeleton& skeleton);

}  // namespace pelt
