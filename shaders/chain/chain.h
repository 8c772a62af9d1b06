// SPDX-License-Identifier: MIT
// A chain of anchors, points that move rigidly with joints, and the twist along it (docs/mathematics.md section 2,
// "Twist").
//
// Anchor i of a chain 0 .. n belongs to a joint with the rotation R_i, and R0_i at rest: D_i = R_i R0_i^-1. The chain's
// top is the anchor nearest the skeleton's root. Neighbours i-1, i, counted away from the top, turn by E_i = D_{i-1}^-1
// D_i; theta_i is its twist about a_i, the rest direction of the bone that leaves anchor i away from the top. The twist
// is summed from 0 at the top (if the root's rotation counted, the skin would depend on the direction that the
// character faces):
//     tau_i = theta_1 + .. + theta_i        and        U_i = D_i Rot(a_i, -tau_i)
// U_i is the motion of anchor i without its twist. Along the chain, whose direction is -a_i above the top, the twist is
// Theta_i = tau_i below the top and -tau_i above it.
#ifndef PELT_SHADERS_CHAIN_H
#define PELT_SHADERS_CHAIN_H

#include "../angle.h"
#include "../pose_pass.h"
#include "../power.h"
#include "../swing_twist.h"
#include "../table.h"

PELT_SHARED_BEGIN

// Layout of the table:
//   chain    anchors (2 or more), top, first anchor (word), palette entry of anchor 0
//   anchor   joint, x, y, z in the joint's space, R0^-1 as x, y, z, w, 1 / scale of the joint at rest (negative if it
//   is
//            mirrored there), a_i, twist input
PELT_SHARED_CONST uint kChainFirstAnchor = 2u;
PELT_SHARED_CONST uint kChainFirstEntry = 3u;
PELT_SHARED_CONST uint kChainWords = 4u;
PELT_SHARED_CONST uint kAnchorWords = 13u;
PELT_SHARED_CONST uint kAnchorPosition = 1u;
PELT_SHARED_CONST uint kAnchorRotation = 4u;
PELT_SHARED_CONST uint kAnchorScale = 8u;
PELT_SHARED_CONST uint kAnchorAxis = 9u;
PELT_SHARED_CONST uint kAnchorTwist = 12u;
PELT_SHARED_CONST uint kNoInput = 0xFFFFFFFFu;
PELT_SHARED_CONST uint kMaxAnchors = 1024u;

struct Chain {
  uint anchor_count;
  uint top;
  uint first_anchor;
  uint first_entry;
};

PELT_SHARED_FN Chain read_chain(PoseWork work, uint word) {
  return Chain(table_word(work, word), table_word(work, word + 1u), table_word(work, word + kChainFirstAnchor),
               table_word(work, word + kChainFirstEntry));
}

PELT_SHARED_FN uint anchor_word(Chain chain, uint i) { return chain.first_anchor + i * kAnchorWords; }

// Bones smaller than this part of their neighbours are hidden by degrees: entirely at 0.
PELT_SHARED_CONST float kHiddenScale = 0.1f;

// Returns 1 for bones of similar size, 0 if the smaller one is scaled to nothing.
PELT_SHARED_FN float shown_share(float smaller, float larger) {
  return smoothstep(0.0f, kHiddenScale, smaller / max(larger, 1e-20f));
}

// The geometric mean of the axes' lengths; for flat axes, whose volume is below kFlatVolume, in proportion to it: the
// cube root would end vertically.
PELT_SHARED_CONST float kFlatVolume = 0.01f;

PELT_SHARED_FN float axes_scale(mat3 axes) {
  vec3 lengths = axis_lengths(axes);
  float longest = max(lengths.x, max(lengths.y, lengths.z));
  if (!exceeds(lengths.x + lengths.y + lengths.z, 1e-30f)) return 0.0f;
  vec3 parts = lengths * (1.0f / longest);
  float volume = parts.x * parts.y * parts.z;
  return longest * power_of(max(volume, kFlatVolume), 1.0f / 3.0f) * min(volume * (1.0f / kFlatVolume), 1.0f);
}

// An anchor posed by its own joint.
struct AnchorPose {
  vec3 position;
  float scale;  // scale of the joint relative to rest
  vec4 motion;  // D_i; 0 if the joint has lost its rotation
};

// False if the anchor has lost its rotation.
PELT_SHARED_FN bool anchor_turns(PoseWork work, Chain chain, uint i) {
  return i == chain.top || has_rotation(affine_axes(joint_frame(work, table_word(work, anchor_word(chain, i)))));
}

PELT_SHARED_FN AnchorPose anchor_pose(PoseWork work, Chain chain, uint i) {
  uint word = anchor_word(chain, i);
  Affine joint = joint_frame(work, table_word(work, word));
  mat3 axes = affine_axes(joint);
  float by_rest = table_float(work, word + kAnchorScale);
  vec4 from_rest = vec4(table_vector(work, word + kAnchorRotation), table_float(work, word + kAnchorRotation + 3u));
  vec4 motion = quaternion_product(quaternion_from_rotation(orthonormal_axes(turning_axes(axes, by_rest))), from_rest);
  return AnchorPose(transform_point(joint, table_vector(work, word + kAnchorPosition)), axes_scale(axes) * abs(by_rest),
                    i == chain.top || has_rotation(axes) ? motion : vec4(0.0f));
}

// The neighbour of anchor i towards the top. Precondition: i is not the top.
PELT_SHARED_FN uint upper_anchor(Chain chain, uint i) { return i > chain.top ? i - 1u : i + 1u; }

// True if the anchor has lost its rotation; it then turns with the nearest one towards the top that has not.
PELT_SHARED_FN bool anchor_is_lost(AnchorPose anchor) { return dot(anchor.motion, anchor.motion) == 0.0f; }

// theta_i of anchor i, which moves by `motion`; `upper` is the motion of the next anchor towards the top that is not
// lost. Swing-twist gives an angle in (-pi, pi]; whole turns are added to make it nearest to the pose's twist input.
PELT_SHARED_FN float twist_between(PoseWork work, Chain chain, uint i, vec4 upper, vec4 motion) {
  uint word = anchor_word(chain, i);
  float angle =
      twist_angle(quaternion_product(quaternion_conjugate(upper), motion), table_vector(work, word + kAnchorAxis));
  uint twist_input = table_word(work, word + kAnchorTwist);
  if (twist_input != kNoInput) angle += kWholeTurn * whole_turns(input_value(work, twist_input) - angle);
  return angle;
}

// An anchor as stored in its palette entry; a lost one has the motion of the anchor that it follows.
struct TurnedAnchor {
  AnchorPose pose;
  float twist_from_upper;  // theta_i; 0 at the top and if lost
  float run;               // sum of theta in the block, from the anchor nearest the top to this one
};

PELT_SHARED_FN Affine anchor_entry(TurnedAnchor anchor) {
  return Affine(vec4(anchor.pose.position, anchor.pose.scale), anchor.pose.motion,
                vec4(anchor.twist_from_upper, anchor.run, 0.0f, 0.0f));
}

// Reads an anchor that an earlier stage posed.
PELT_SHARED_FN TurnedAnchor posed_anchor(PoseWork work, Chain chain, uint i) {
  Affine entry = palette_entry(work, chain.first_entry + i);
  return TurnedAnchor(AnchorPose(vec3(entry[0]), entry[0].w, entry[1]), entry[2].x, entry[2].y);
}

PELT_SHARED_FN vec3 posed_position(PoseWork work, Chain chain, uint i) {
  return vec3(palette_entry(work, chain.first_entry + i)[0]);
}

// The anchor that carries the bone from anchor `bone` to the next: its end nearer the top.
PELT_SHARED_FN uint carrying_anchor(Chain chain, uint bone) { return bone < chain.top ? bone + 1u : bone; }

// The direction of a bone that is posed along `way`. As the bone becomes a point, of which rounding decides the way, it
// becomes `carried`: the direction with which its joint, scaled by `scale`, carries it.
PELT_SHARED_FN vec3 bone_direction(vec3 way, vec3 carried, float scale) {
  float shown = shown_share(scale, kHiddenScale);
  vec3 along = normalize_or(way, carried);
  return shown < 1.0f ? normalize_or(mix(carried, along, shown), carried) : along;
}

// Returns the posed direction of a bone, in the order of the anchors; `unknown` if it has none.
PELT_SHARED_FN vec3 posed_direction(PoseWork work, Chain chain, uint bone, vec3 unknown) {
  vec3 way = posed_position(work, chain, bone + 1u) - posed_position(work, chain, bone);
  uint i = carrying_anchor(chain, bone);
  bool above = bone < chain.top;
  // The top's axis is that of the bone below it.
  if (above && i == chain.top && i + 1u < chain.anchor_count) return normalize_or(way, unknown);
  AnchorPose carrier = posed_anchor(work, chain, i).pose;
  vec3 away = quaternion_rotate(carrier.motion, table_vector(work, anchor_word(chain, i) + kAnchorAxis));
  return bone_direction(way, above ? -away : away, carrier.scale);
}

// Anchors are posed in blocks to keep sums of twists short: block b has anchors kAnchorBlock b to
// kAnchorBlock (b + 1) - 1.
PELT_SHARED_CONST uint kAnchorBlock = 8u;

// Returns tau_i of an anchor, adding the sums at the far ends of the blocks between it and the top.
PELT_SHARED_FN float anchor_twist(PoseWork work, Chain chain, uint i, TurnedAnchor anchor) {
  float twist = anchor.run;
  uint block = i / kAnchorBlock;
  uint top = chain.top / kAnchorBlock;
  while (block != top) {
    block = block > top ? block - 1u : block + 1u;
    uint far = block * kAnchorBlock + (i > chain.top ? kAnchorBlock - 1u : 0u);
    twist += palette_entry(work, chain.first_entry + far)[2].y;
  }
  return twist;
}

// Returns tau_i, and that of `upper`: anchor `above`, the next one towards the top or, for the top, itself.
PELT_SHARED_FN vec2 anchor_twists(PoseWork work, Chain chain, uint i, TurnedAnchor anchor, uint above,
                                  TurnedAnchor upper) {
  vec2 twists = vec2(anchor.run, upper.run);
  uint top = chain.top / kAnchorBlock;
  for (uint block = i / kAnchorBlock; block != top;) {
    block = block > top ? block - 1u : block + 1u;
    uint far = block * kAnchorBlock + (i > chain.top ? kAnchorBlock - 1u : 0u);
    float run = palette_entry(work, chain.first_entry + far)[2].y;
    twists += vec2(run, block == above / kAnchorBlock ? 0.0f : run);
  }
  return twists;
}

// Returns Theta_i for tau_i.
PELT_SHARED_FN float along_chain(Chain chain, uint i, float twist) { return i < chain.top ? -twist : twist; }

// Returns U_i of an anchor with the motion `motion` and the twist tau_i.
PELT_SHARED_FN vec4 untwisted_motion(PoseWork work, Chain chain, uint i, vec4 motion, float twist) {
  vec3 axis = table_vector(work, anchor_word(chain, i) + kAnchorAxis);
  return quaternion_product(motion, quaternion_about(axis, -twist));
}

PELT_SHARED_FN vec4 untwisted_anchor(PoseWork work, Chain chain, uint i) {
  TurnedAnchor anchor = posed_anchor(work, chain, i);
  return untwisted_motion(work, chain, i, anchor.pose.motion, anchor_twist(work, chain, i, anchor));
}

// Returns how much bones fold back, 0 to 154 degrees and 1 from 168 on, of `bend`, 1 - cos of the angle between them.
// Such bones have no corner that a curve could cut.
PELT_SHARED_FN float folded_back(float bend) { return smoothstep(1.9f, 1.98f, bend); }

PELT_SHARED_END

#endif
