// SPDX-License-Identifier: MIT
// The steps of automatic frames (step_frames.h), posed once for all nearby samples: one anchor per record.
#ifndef PELT_SHADERS_CURVE_SKELETON_STEP_POSE_H
#define PELT_SHADERS_CURVE_SKELETON_STEP_POSE_H

#include "step_frames.h"

PELT_SHARED_BEGIN

struct CurveStepRecord {
  uint curve;  // word
  uint anchor;
};
PELT_SHARED_SIZE(CurveStepRecord, 8);

struct CurveStepEntries {
  Affine entries[kCurveStepEntries];
};

// The bone's posed direction and its frame; the bone's joint carries y without twist.
struct CurveBone {
  vec3 slope;  // e
  vec3 along;
  vec4 frame;
};

// `way`: from the bone's first anchor to its last. `motion`: U of the anchor that carries it, of this scale.
PELT_SHARED_FN CurveBone step_bone(PoseWork work, uint curve, uint bone, vec3 way, vec4 motion, float scale) {
  uint word = curve_anchor_word(work, curve, bone);
  vec3 carried = quaternion_rotate(motion, table_vector(work, word + kCurveAnchorDirection));
  vec3 y = quaternion_rotate(motion, table_vector(work, word + kCurveAnchorReference));
  float length = table_float(work, word + kCurveAnchorWords) - table_float(work, word);
  CurveBone result;
  result.slope = way * (1.0f / length);
  result.along = bone_direction(result.slope, carried, scale);
  y = least_turn(y, carried, result.along);
  y = direction_across(result.along, y, frame_side(result.along, result.along));
  result.frame = quaternion_from_rotation(mat3(result.along, y, cross(result.along, y)));
  return result;
}

// The bends of the joints next to inner joint i, weighted by how far they are within its turn: such joints share the
// correction of the speed.
PELT_SHARED_FN float bend_beside(PoseWork work, Chain chain, uint curve, uint i, float turning) {
  uint word = curve_anchor_word(work, curve, 0u);
  float sum = 0.0f;
  for (uint side = 0u; side < 2u; ++side) {
    uint next = side == 0u ? i - 1u : i + 1u;
    uint beyond = side == 0u ? max(i, 2u) - 2u : min(i + 2u, chain.anchor_count - 1u);
    float at_next = table_float(work, word + next * kCurveAnchorWords);
    float gap = abs(table_float(work, word + i * kCurveAnchorWords) - at_next);
    float rest = abs(at_next - table_float(work, word + beyond * kCurveAnchorWords));
    vec3 at = posed_position(work, chain, next);
    vec3 here = at - posed_position(work, chain, i);
    vec3 there = posed_position(work, chain, beyond) - at;
    if (beyond == next || gap >= turning) continue;
    vec2 paces = vec2(length(here) / gap, length(there) / rest);
    float shown = shown_share(min(paces.x, paces.y), max(paces.x, paces.y));
    sum += bend_between(here, there) * shown * (1.0f - gap / turning);
  }
  return sum;
}

// Returns H of an end of a bone; `displacement` is that of the control point there, from the joint on.
PELT_SHARED_FN vec3 eased_handle(PELT_SHARED_IN(CurveBone) bone, vec3 tangent, float ease, vec3 displacement) {
  return tangent * (ease * length(bone.slope)) - bone.slope + displacement;
}

// Completes the step of inner anchor i between two bones.
PELT_SHARED_FN CurveStep curve_step(PoseWork work, Chain chain, uint curve, uint i, PELT_SHARED_IN(CurveBone) coming,
                                    PELT_SHARED_IN(CurveBone) going, CurveStep step) {
  uint word = curve_anchor_word(work, curve, i);
  // As a joint is scaled to nothing, its bone becomes a point: the curve only continues in the bone's direction.
  float coming_pace = length(coming.slope);
  float going_pace = length(going.slope);
  float most = max(coming_pace, going_pace);
  float shown = shown_share(min(coming_pace, going_pace), most);
  step.jump = mix((going.along - coming.along) * most, going.slope - coming.slope, shown);
  step.inside = going.along - coming.along;
  step.bend = 1.0f - dot(coming.along, going.along);
  float bend = bend_between(coming.along, going.along);
  step.angle = bend;

  // The rotation from the frame before to that after, in the frame before, less that at rest. From a bend at rest the
  // joint so turns about its own axis, even if the posed bones are nearly opposite.
  vec4 between = quaternion_product(quaternion_conjugate(coming.frame), going.frame);
  vec4 turned = shorter_turn(quaternion_product(between, quaternion_conjugate(step_turn(rest_turn(work, word), 1.0f))));
  vec3 axis = quaternion_vector(turned);
  float sine = length(axis);
  step.turn = axis * (sine > 1e-20f ? 2.0f * atan_of(sine, turned.w) / sine : 0.0f);

  if (is_eased(work, word)) {
    vec2 eases = anchor_eases(work, word);
    vec3 tangent = eases.x == 0.0f   ? coming.along
                   : eases.y == 0.0f ? going.along
                                     : normalize_or(coming.along + going.along, going.along);
    tangent *= 2.0f / (1.0f + cos_of(0.5f * bend));
    vec3 before = posed_displacement(work, chain, i - 1u, table_vector(work, word + kCurveAnchorBefore)) *
                  (-kStepLift / max(table_float(work, word + kCurveAnchorWindow), 1e-20f));
    vec3 after = posed_displacement(work, chain, i, table_vector(work, word + kCurveAnchorAfter)) *
                 (kStepLift / max(table_float(work, word + kCurveAnchorWindow + 1u), 1e-20f));
    step.jump = eased_handle(coming, tangent, eases.x, before) * shown;
    step.speed = eased_handle(going, tangent, eases.y, after) * shown;
    step.ease = eases.x;
    step.reach = -max(eases.y, kLeastEase);
    return step;
  }

  float turning =
      min(table_float(work, word + kCurveAnchorTurning), table_float(work, word + kCurveAnchorTurning + 1u));
  step.reach = min(floating_distance(work, word, kStepRounding, bend), 0.9f * turning);

  float pace = mix(most, 0.5f * (coming_pace + going_pace), shown);
  float both = bend + bend_beside(work, chain, curve, i, turning);
  float lacking = 1.0f - cos_of(0.5f * both);
  float inside = kStepMargin * table_float(work, word + kCurveAnchorDistance) * 0.5f * both /
                 max((1.0f - 0.5f * kStepEase) * turning, 1e-20f);
  float loose = 1.0f - table_float(work, word + kCurveAnchorContact);
  float more = clamp(loose * (inside - (1.0f - lacking)), kStepSpeed * lacking, lacking);
  more *= both > 0.0f ? bend / both : 1.0f;
  step.speed = normalize_or(coming.along + going.along, going.along) * (more * pace);
  return step;
}

PELT_SHARED_FN CurveStepEntries pose_curve_step(CurveStepRecord record, PoseWork work) {
  Chain chain = read_chain(work, record.curve);
  uint i = record.anchor;
  uint last = chain.anchor_count - 1u;
  uint above = i == chain.top ? i : upper_anchor(chain, i);
  // One of these carries each bone at the anchor.
  TurnedAnchor anchor = posed_anchor(work, chain, i);
  TurnedAnchor upper = posed_anchor(work, chain, above);
  vec3 before = posed_position(work, chain, max(i, 1u) - 1u);
  vec3 after = posed_position(work, chain, min(i + 1u, last));
  vec2 twists = anchor_twists(work, chain, i, anchor, above, upper);
  vec4 own = untwisted_motion(work, chain, i, anchor.pose.motion, twists.x);
  vec4 other = untwisted_motion(work, chain, above, upper.pose.motion, twists.y);
  uint bone = min(i, last - 1u);
  bool by_own = carrying_anchor(chain, bone) == i;
  CurveBone going =
      step_bone(work, record.curve, bone, i < last ? after - anchor.pose.position : anchor.pose.position - before,
                by_own ? own : other, by_own ? anchor.pose.scale : upper.pose.scale);
  CurveStep step;
  step.frame = going.frame;
  step.slope = going.slope;
  float left = table_float(work, curve_anchor_word(work, record.curve, i) + kCurveAnchorTwistAfter);
  step.twist = along_chain(chain, i, twists.x - left * anchor.twist_from_upper);
  step.jump = vec3(0.0f);
  step.reach = 0.0f;
  step.speed = vec3(0.0f);
  step.angle = 0.0f;
  step.inside = vec3(0.0f);
  step.turn = vec3(0.0f);
  step.bend = 0.0f;
  step.ease = 0.0f;
  if (i > 0u && i < last) {
    by_own = carrying_anchor(chain, i - 1u) == i;
    CurveBone coming = step_bone(work, record.curve, i - 1u, anchor.pose.position - before, by_own ? own : other,
                                 by_own ? anchor.pose.scale : upper.pose.scale);
    step = curve_step(work, chain, record.curve, i, coming, going, step);
  }
  CurveStepEntries result;
  result.entries[0] = Affine(step.frame, vec4(step.slope, step.twist), vec4(step.jump, step.reach));
  result.entries[1] = Affine(vec4(step.speed, step.angle), vec4(step.inside, step.bend), vec4(step.turn, step.ease));
  return result;
}

PELT_SHARED_END

#endif
