// SPDX-License-Identifier: MIT
// A chain of anchors, points that move rigidly with joints, and the twist along it (math.md section 2, "Twist").
//
// Anchor i of a chain 0 .. n belongs to a joint with the rotation R_i, R0_i at rest: D_i = R_i R0_i^-1. The chain's top
// is the anchor nearest the skeleton's root; neighbours i-1, i counted away from it turn by E_i = D_{i-1}^-1 D_i, of
// which theta_i is the twist about the rest direction a_i of the bone that leaves anchor i away from the top.
// Accumulated from the top, where it is 0 (counting what the root turns would make the skin depend on where the
// character faces), that is
//     tau_i = theta_1 + .. + theta_i        and        U_i = D_i Rot(a_i, -tau_i)
// is the motion of anchor i without its twist. Along the chain, whose direction is -a_i above the top, the twist is
// Theta_i = tau_i below the top and -tau_i above it.
#ifndef PELT_SHADERS_CHAIN_H
#define PELT_SHADERS_CHAIN_H

#include "angle.h"
#include "pose_pass.h"
#include "swing_twist.h"
#include "table.h"

PELT_SHARED_BEGIN

// In the table:
//   chain    anchors (2 or more), top, first anchor (word)
//   anchor   joint, x, y, z in the joint's space, R0^-1 as x, y, z, w, 1 / scale of the joint at rest, a_i, twist input
PELT_SHARED_CONST uint kChainFirstAnchor = 2u;
PELT_SHARED_CONST uint kChainWords = 3u;
PELT_SHARED_CONST uint kAnchorWords = 13u;
PELT_SHARED_CONST uint kAnchorPosition = 1u;
PELT_SHARED_CONST uint kAnchorRotation = 4u;
PELT_SHARED_CONST uint kAnchorScale = 8u;
PELT_SHARED_CONST uint kAnchorAxis = 9u;
PELT_SHARED_CONST uint kAnchorTwist = 12u;
PELT_SHARED_CONST uint kNoInput = 0xFFFFFFFFu;
PELT_SHARED_CONST uint kMostAnchors = 1024u;

struct Chain {
  uint anchor_count;
  uint top;
  uint first_anchor;
};

PELT_SHARED_FN Chain read_chain(PoseWork work, uint word) {
  return Chain(table_word(work, word), table_word(work, word + 1u), table_word(work, word + kChainFirstAnchor));
}

PELT_SHARED_FN uint anchor_word(Chain chain, uint i) { return chain.first_anchor + i * kAnchorWords; }

PELT_SHARED_FN vec3 anchor_position(PoseWork work, Chain chain, uint i) {
  uint word = anchor_word(chain, i);
  Affine joint = affine_from_mat4(joint_matrix(work, table_word(work, word)));
  return transform_point(joint, table_vector(work, word + kAnchorPosition));
}

// The geometric mean of the axes' lengths. Not the cube root of their volume, which of flattened axes is that of
// rounding alone.
PELT_SHARED_FN float axes_scale(mat3 axes) {
  vec3 lengths = vec3(length(axes[0]), length(axes[1]), length(axes[2]));
  float longest = max(lengths.x, max(lengths.y, lengths.z));
  if (!(longest > 1e-30f)) return 0.0f;
  vec3 parts = lengths * (1.0f / longest);
  return longest * pow(parts.x * parts.y * parts.z, 1.0f / 3.0f);
}

// How much larger the joint's space is than at rest.
PELT_SHARED_FN float anchor_scale(PoseWork work, Chain chain, uint i) {
  uint word = anchor_word(chain, i);
  mat3 axes = affine_axes(affine_from_mat4(joint_matrix(work, table_word(work, word))));
  return axes_scale(axes) * table_float(work, word + kAnchorScale);
}

// The neighbour of anchor i towards the top, which itself has none.
PELT_SHARED_FN uint upper_anchor(Chain chain, uint i) { return i > chain.top ? i - 1u : i + 1u; }

// Joints scaled down to this hide what they carry, and their axes point nowhere.
PELT_SHARED_CONST float kHiddenScale = 1e-4f;

// The anchor whose joint says how anchor i turns: itself, or the nearest towards the top that is not hidden.
PELT_SHARED_FN uint turning_anchor(PoseWork work, Chain chain, uint i) {
  while (i != chain.top && anchor_scale(work, chain, i) < kHiddenScale) i = upper_anchor(chain, i);
  return i;
}

// D_i.
PELT_SHARED_FN vec4 anchor_motion(PoseWork work, Chain chain, uint i) {
  uint word = anchor_word(chain, turning_anchor(work, chain, i));
  uint rotation = word + kAnchorRotation;
  vec4 from_rest = vec4(table_vector(work, rotation), table_float(work, rotation + 3u));
  return quaternion_product(joint_rotation(work, table_word(work, word)), from_rest);
}

// theta_i of anchor i, which moves by `motion`, its neighbour towards the top by `upper`: by swing-twist in (-pi, pi],
// and of the angles that differ from it by whole turns the one nearest to the twist that the pose gives.
// 0 where the anchor is hidden.
PELT_SHARED_FN float twist_from(PoseWork work, Chain chain, uint i, vec4 upper, vec4 motion) {
  uint word = anchor_word(chain, i);
  if (turning_anchor(work, chain, i) != i) return 0.0f;
  float angle =
      twist_angle(quaternion_product(quaternion_conjugate(upper), motion), table_vector(work, word + kAnchorAxis));
  uint twist_input = table_word(work, word + kAnchorTwist);
  if (twist_input != kNoInput) angle += kWholeTurn * whole_turns(input_value(work, twist_input) - angle);
  return angle;
}

// What turns a bone: its end away from the top, its end towards the top, and the neighbour of that.
struct ChainStretch {
  vec4 motion[3];  // D_i
  float own[2];    // theta_i; 0 at the top
  float twist[3];  // tau_i
};

// `far`: the bone's end away from the top. One walk up to the top.
PELT_SHARED_FN ChainStretch chain_stretch(PoseWork work, Chain chain, uint far) {
  ChainStretch stretch;
  stretch.motion[0] = anchor_motion(work, chain, far);
  stretch.motion[1] = stretch.motion[0];
  stretch.motion[2] = stretch.motion[0];
  stretch.own[0] = 0.0f;
  stretch.own[1] = 0.0f;
  vec4 motion = stretch.motion[0];
  float above = 0.0f;
  uint i = far;
  for (uint step = 0u; i != chain.top; ++step) {
    uint upper = upper_anchor(chain, i);
    vec4 next = anchor_motion(work, chain, upper);
    float twist = twist_from(work, chain, i, next, motion);
    if (step < 2u) {
      stretch.motion[step + 1u] = next;
      stretch.own[step] = twist;
    } else {
      above += twist;
    }
    motion = next;
    i = upper;
  }
  stretch.twist[2] = above;
  stretch.twist[1] = above + stretch.own[1];
  stretch.twist[0] = stretch.twist[1] + stretch.own[0];
  return stretch;
}

// Neighbouring anchors, at most kMostRange.
PELT_SHARED_CONST uint kMostRange = 8u;
struct ChainRange {
  uint first;
  vec4 motion[kMostRange];  // D_i
  float own[kMostRange];    // theta_i; 0 at the top
  float twist[kMostRange];  // tau_i
};

// Anchors `first` to `last`. One walk up to the top from the nearest of them.
PELT_SHARED_FN ChainRange chain_range(PoseWork work, Chain chain, uint first, uint last) {
  ChainRange range;
  range.first = first;
  uint nearest = clamp(chain.top, first, last);
  uint start = nearest - first;
  range.motion[start] = anchor_motion(work, chain, nearest);
  range.own[start] = 0.0f;
  range.twist[start] = 0.0f;
  vec4 motion = range.motion[start];
  for (uint i = nearest; i != chain.top;) {
    uint upper = upper_anchor(chain, i);
    vec4 next = anchor_motion(work, chain, upper);
    float twist = twist_from(work, chain, i, next, motion);
    if (i == nearest) range.own[start] = twist;
    range.twist[start] += twist;
    motion = next;
    i = upper;
  }
  for (uint i = nearest + 1u; i <= last; ++i) {
    uint k = i - first;
    range.motion[k] = anchor_motion(work, chain, i);
    range.own[k] = twist_from(work, chain, i, range.motion[k - 1u], range.motion[k]);
    range.twist[k] = range.twist[k - 1u] + range.own[k];
  }
  for (uint i = nearest; i > first; --i) {
    uint k = i - 1u - first;
    range.motion[k] = anchor_motion(work, chain, i - 1u);
    range.own[k] = twist_from(work, chain, i - 1u, range.motion[k + 1u], range.motion[k]);
    range.twist[k] = range.twist[k + 1u] + range.own[k];
  }
  return range;
}

// Theta_i from tau_i.
PELT_SHARED_FN float along_chain(Chain chain, uint i, float twist) { return i < chain.top ? -twist : twist; }

// U_i of anchor i, which moves by `motion` and has the twist tau_i.
PELT_SHARED_FN vec4 untwisted_motion(PoseWork work, Chain chain, uint i, vec4 motion, float twist) {
  vec3 axis = table_vector(work, anchor_word(chain, i) + kAnchorAxis);
  return quaternion_product(motion, quaternion_about(axis, -twist));
}

// U_i.
PELT_SHARED_FN vec4 range_untwisted(PoseWork work, Chain chain, PELT_SHARED_IN(ChainRange) range, uint i) {
  return untwisted_motion(work, chain, i, range.motion[i - range.first], range.twist[i - range.first]);
}

PELT_SHARED_END

#endif
