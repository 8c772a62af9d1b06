// SPDX-License-Identifier: MIT
// Curves in a pose pass's table, and the ends of their bones (Yang, Somasekharan, Zhang 2006; docs/mathematics.md
// section 2).
#ifndef PELT_SHADERS_CURVE_SKELETON_CURVE_H
#define PELT_SHADERS_CURVE_SKELETON_CURVE_H

#include "../chain/chain.h"
#include "../pose_pass.h"
#include "../spline.h"
#include "../table.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kCurveFramesAuto = 0u;
PELT_SHARED_CONST uint kCurveFramesTangent = 1u;
PELT_SHARED_CONST uint kCurveFramesEndpoint = 2u;

PELT_SHARED_CONST uint kCurveReferenceHalfSwing = 0u;
PELT_SHARED_CONST uint kCurveReferenceJoint = 1u;

// Layout of the table, besides chain.h's:
//   curve         chain (4 words), frames, reference, centre, first curve anchor (word), palette entry of the first
//                 anchor's step (step_pose.h)
//   curve anchor  s, reference axis at rest x, y, z, d, f_min, f_max, margin, first key (word), keys (0: the formula;
//                 kCurveEased: one key, of the eases before and after the joint, for automatic frames), displacement of
//                 B-, of B+ at rest, volume, across, along, after; then for automatic frames: the rest direction x, y,
//                 z of the bone that leaves the anchor, the rest lengths before and after the joint in which frames
//                 turn, those in which the joint shifts the curve, contact (0 to 1: less pace in the bend), the radius
//                 of the section at the joint (0: not pressed), and its centre along y and z of the frame, tube (0 to
//                 1: it swells and is pressed), around (0 to 1: flesh turns about the joint), the turn at rest from
//                 bone to bone about y and z of the frame
//   key           theta, f
//   sample        lambda, dist(lambda), reach of the first anchor's bulge, of the last one's, twist, width y, width z
//                 (added to and multiplied with what the pose gives), (M^R)^-1 row by row
// The reference axis is the joint's z_i; with automatic frames it is y of the bone that leaves the anchor, carried from
// bone to bone at rest by least rotations.
PELT_SHARED_CONST uint kCurveFrames = 4u;
PELT_SHARED_CONST uint kCurveReference = 5u;
PELT_SHARED_CONST uint kCurveCentre = 6u;
PELT_SHARED_CONST uint kCurveFirstAnchor = 7u;
PELT_SHARED_CONST uint kCurveFirstStep = 8u;
PELT_SHARED_CONST uint kCurveWords = 9u;
PELT_SHARED_CONST uint kCurveAnchorLength = 0u;
PELT_SHARED_CONST uint kCurveAnchorReference = 1u;
PELT_SHARED_CONST uint kCurveAnchorDistance = 4u;
PELT_SHARED_CONST uint kCurveAnchorLeast = 5u;
PELT_SHARED_CONST uint kCurveAnchorMost = 6u;
PELT_SHARED_CONST uint kCurveAnchorMargin = 7u;
PELT_SHARED_CONST uint kCurveAnchorKeys = 8u;
PELT_SHARED_CONST uint kCurveAnchorBefore = 10u;
PELT_SHARED_CONST uint kCurveAnchorAfter = 13u;
PELT_SHARED_CONST uint kCurveAnchorBulge = 16u;
PELT_SHARED_CONST uint kCurveAnchorTwistAfter = 19u;
PELT_SHARED_CONST uint kCurveAnchorDirection = 20u;
PELT_SHARED_CONST uint kCurveAnchorTurning = 23u;
PELT_SHARED_CONST uint kCurveAnchorWindow = 25u;
PELT_SHARED_CONST uint kCurveAnchorContact = 27u;
PELT_SHARED_CONST uint kCurveAnchorRadius = 28u;
PELT_SHARED_CONST uint kCurveAnchorTube = 31u;
PELT_SHARED_CONST uint kCurveAnchorAround = 32u;
PELT_SHARED_CONST uint kCurveAnchorRest = 33u;
PELT_SHARED_CONST uint kCurveAnchorWords = 35u;
PELT_SHARED_CONST uint kCurveSampleShape = 1u;
PELT_SHARED_CONST uint kCurveSampleInverse = 7u;
PELT_SHARED_CONST uint kCurveSampleWords = 19u;

PELT_SHARED_CONST uint kCurveEntries = 8u;  // palette entries per record: neighbouring samples of one bone
PELT_SHARED_CONST uint kMaxFloatKeys = 64u;
PELT_SHARED_CONST uint kCurveEased = 0xffffffffu;

struct CurveRecord {
  uint curve;         // word of the curve
  uint bone;          // from anchor `bone` to the next
  uint first_sample;  // word; kCurveEntries samples
};
PELT_SHARED_SIZE(CurveRecord, 12);

// An anchor at an end of a bone.
struct CurveEnd {
  vec3 point;
  float arc;       // s
  float distance;  // d
  float scale;
  float twist;  // Theta
  float bend;   // 1 - cos theta; 0 at the ends of the curve
  vec3 bulge;   // volume, across, along
};

PELT_SHARED_FN uint curve_anchor_word(PoseWork work, uint curve, uint i) {
  return table_word(work, curve + kCurveFirstAnchor) + i * kCurveAnchorWords;
}

// The bend theta between two bones of any length; 0 if one has no length.
PELT_SHARED_FN float bend_between(vec3 coming, vec3 going) {
  float across = length(cross(coming, going));
  float along = dot(coming, going);
  return across + abs(along) > 0.0f ? atan_of(across, along) : 0.0f;
}

// True if the curve passes through this inner anchor by eases (step_frames.h); its floating distances are unused.
PELT_SHARED_FN bool is_eased(PoseWork work, uint word) {
  return table_word(work, word + kCurveAnchorKeys + 1u) == kCurveEased;
}

// The eases before and after such an anchor; 0: that bone is stiff.
PELT_SHARED_FN vec2 anchor_eases(PoseWork work, uint word) {
  uint key = table_word(work, word + kCurveAnchorKeys);
  return vec2(table_float(work, key), table_float(work, key + 1u));
}

// f of an inner anchor that bends by theta, from its words: keyed, or by the formula `rounding` skin distances,
// clamped.
PELT_SHARED_FN float floating_distance(PoseWork work, uint word, float rounding, float bend) {
  uint key = table_word(work, word + kCurveAnchorKeys);
  uint count = table_word(work, word + kCurveAnchorKeys + 1u);
  if (count == 0u) {
    float wanted = table_float(work, word + kCurveAnchorMargin) * rounding *
                   table_float(work, word + kCurveAnchorDistance) * sin_of(0.5f * bend);
    return clamp(wanted, table_float(work, word + kCurveAnchorLeast), table_float(work, word + kCurveAnchorMost));
  }
  vec2 from = vec2(table_float(work, key), table_float(work, key + 1u));
  float result = from.y;
  for (uint k = 1u; k < count; ++k) {
    vec2 to = vec2(table_float(work, key + 2u * k), table_float(work, key + 2u * k + 1u));
    if (bend > from.x) result = mix(from.y, to.y, min((bend - from.x) / (to.x - from.x), 1.0f));
    from = to;
  }
  return result;
}

// Poses a displacement defined at rest and fixed to a bone.
PELT_SHARED_FN vec3 posed_displacement(PoseWork work, Chain chain, uint bone, vec3 displacement) {
  if (dot(displacement, displacement) == 0.0f) return vec3(0.0f);
  AnchorPose pose = posed_anchor(work, chain, carrying_anchor(chain, bone)).pose;
  return quaternion_rotate(pose.motion, displacement) * pose.scale;
}

PELT_SHARED_FN vec3 frame_side(vec3 reference, vec3 x) {
  vec3 other = abs(x.x) < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0);
  return normalize_or(cross(reference, x), normalize(cross(x, other)));
}

PELT_SHARED_END

#endif
