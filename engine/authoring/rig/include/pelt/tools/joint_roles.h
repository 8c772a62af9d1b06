// SPDX-License-Identifier: MIT
// Finds the roles of joints and how they turn: from the file's map of human bones (Skeleton::human_bones), else mostly
// from their names and a little from their positions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <pelt/skeleton.h>
#include <pelt/tools/joint_names.h>

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

// Returns the words that name joints of a role, separated by spaces, as in JointName::word. A word may belong to two
// roles, as "hip" does, if one of them has sides. Empty for kNone.
std::string_view role_words(JointRole role);

enum class JointKind : std::uint8_t {
  kNone,   // unknown
  kHinge,  // bends about one axis: elbow, knee, hock, finger, thumb
  kBall,   // swings to all sides and twists: hips, spine, neck, head, clavicle, shoulder, hip, wrist, ankle
  kTwist,  // lies along a bone and takes part of its twist
  kPatch,  // moves a patch of skin rather than a limb, like the joints of a face (patch_joints)
};

struct JointUse {
  Side side = Side::kNone;
  JointRole role = JointRole::kNone;
  JointKind kind = JointKind::kNone;
};

// Returns the use of each joint. A joint with an unknown name has no role and no kind: a bend in the rest pose does not
// make it a hinge, since feet, tails and spines are bent too. Further rules, among joints of one side:
// - "leg" is the shin below a thigh, else the thigh;
// - "shoulder" is the upper arm if no other joint is one, else the clavicle;
// - a joint of a limb is a twist helper (upper_arm.001) if it is below one of the same role and in line with its
//   bone (within 5 degrees in the rest pose) or without a bone of its own; in an upper arm or a thigh only if a forearm
//   or shin has a name too. So are joints whose names contain twist, begin or end with roll, or end with mid after a
//   limb or a clavicle. A human bone is never one.
std::vector<JointUse> joint_uses(const Skeleton& skeleton);

// Returns for each joint whether it moves a patch of skin rather than a limb, like the joints of a face:
// - below a head or a neck, joints named as parts of a face (jaw, eye, lid, ...), however few;
// - if a joint with eight or more childless children is a head or neck or below one: these children, those with
//   childless children named as parts of a face, and those with eight or more childless children of their own (a jaw);
// - anywhere else, eight or more childless children that are named as several parts of a face;
// - any other eight or more childless children near each other and on both sides of their parent, as mirror images,
//   unless one of them or their parent has a role or the name of a finger, as in a flat hand, or eight have names that
//   only begin or end like one part of a face (eyelets, surfaces);
// - all joints below a patch joint.
std::vector<bool> patch_joints(const Skeleton& skeleton);

}  // namespace pelt
