// SPDX-License-Identifier: MIT
// What joints are for, and how they turn: by their names, and a little by where they stand.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <pelt/skeleton.h>

#include "engine/rig/joint_names.h"

namespace pelt {

enum class JointRole : std::uint8_t {
  kNone,
  kHips,
  kSpine,
  kChest,
  kNeck,
  kHead,
  kClavicle,
  kUpperArm,
  kForearm,
  kHand,
  kThigh,
  kShin,
  kHock,
  kFoot,
  kToes,
  kThumb,
  kIndexMetacarpal,
  kIndex,
  kMiddleMetacarpal,
  kMiddle,
  kRingMetacarpal,
  kRing,
  kPinkyMetacarpal,
  kPinky,
};

// The words, as parse_joint_name leaves them and separated by spaces, that joints of a role are called by; a word may
// be that of two roles, "hip" say, of which one has sides. Empty: of kNone.
std::string_view role_words(JointRole role);

enum class JointKind : std::uint8_t {
  kNone,   // nothing is known of it
  kHinge,  // bends about one axis: elbow, knee, hock, finger, thumb
  kBall,   // swings to all sides and twists: hips, spine, neck, head, clavicle, shoulder, hip, wrist, ankle
  kTwist,  // stands along a bone and takes a part of its twist
  kPatch,  // moves a patch of skin rather than a limb, as the joints of a face do (patch_joints)
};

struct JointUse {
  Side side = Side::kNone;
  JointRole role = JointRole::kNone;
  JointKind kind = JointKind::kNone;
};

// Says of each joint what it is for. A name that says nothing leaves a joint without a role, and it is of no kind: a
// bend at rest does not make it a hinge, since feet, tails and spines are bent too. Besides, among joints of one side:
// - "leg" is the shin below a thigh, else the thigh;
// - "shoulder" is the upper arm where no other joint is one, else the clavicle;
// - a joint of a limb below one of the same role, in line with its bone (within 5 degrees at rest) or without a bone of
//   its own, is a twist helper (upper_arm.001), but of an upper arm or a thigh only where a forearm or a shin is named
//   besides; so are those whose names say twist, begin or end with roll, or say a limb and mid.
std::vector<JointUse> joint_uses(const Skeleton& skeleton);

// Of each joint whether it moves a patch of skin rather than a limb, as the joints of a face do. At a joint with eight
// childless children or more these are all children that are childless, have childless children alone, or are such a
// joint themselves (a jaw). Below a head or a neck they are, however few, those that are named as of a face: jaw, eye,
// lid, ... And what hangs on them is.
std::vector<bool> patch_joints(const Skeleton& skeleton);

}  // namespace pelt
