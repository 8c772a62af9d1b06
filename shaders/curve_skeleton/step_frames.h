// SPDX-License-Identifier: MIT
// Automatic frames of curves. A spline's own frames fold a thick limb on the inside of a bend, or lean in a thin one
// over its whole length. Here the curve is the polygon of the joints, and each inner joint i bends it by one smooth
// step. A step may be longer than the bones beside it, so the bends of joints that stand close together, or at one
// place, blend into each other (s: rest length along the bones, e_i: posed bone over its rest length, theta_i: bend, h
// = theta_i / 2, q = s - s_i):
//     frame    F(s) = F_0 prod_i R_i^S(q)               R_i: from the frame of the bone before the joint to the next
//     curve    C(s) = polygon + sum_i (e_i - e_i-1) (r B(|q| / r) - f/12 G(|q| / g)) + v_i q G(|q| / g)
// S rises from 0 to 1 within w = 2.4 d of the joint, or as far as the curve goes, at an even rate but for its ends: it
// is the slerp of a single joint, slower than the curve passes the inside of the skin. F_k has x along the posed bone
// k, and y is the rest pose's y carried by the bone's joint without twist. B rounds the corner like a B-spline of the
// floating distance f = margin 2 d sin h; G, which is 1 at the joint and flat at both ends, takes back half of that. In
// the rounded corner the curve advances by only cos h for each step along the bones; v_i gives back a quarter of the
// missing part. If the bend is so sharp that the inside of the skin would stand still, v_i gives back as much as that
// needs: up to 1.2 d h / (0.9 w). Joints that stand within each other's turns use the sum of their bends and share the
// correction.
// The constants were found by measurement, on limbs a quarter to three quarters of a bone thick
// (docs/curve_skeleton.md).
#ifndef PELT_SHADERS_CURVE_SKELETON_STEP_FRAMES_H
#define PELT_SHADERS_CURVE_SKELETON_STEP_FRAMES_H

#include "curve.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST float kStepRounding = 2.0f;  // f, in skin distances
PELT_SHARED_CONST float kStepSpeed = 0.25f;    // least part of the speed lost in a bend that the curve gets back
PELT_SHARED_CONST float kStepMargin = 1.2f;    // pace, relative to that at which the inside of the skin stands still
PELT_SHARED_CONST float kStepTurning = 2.4f;   // w, in skin distances
PELT_SHARED_CONST float kStepWindow = 1.5f;    // g, in parts of w
PELT_SHARED_CONST float kStepEase = 0.2f;      // part of w over which the turn begins and ends smoothly
PELT_SHARED_CONST uint kStepReach = 3u;        // bones on either side that a step reaches at most
PELT_SHARED_CONST uint kMaxSteps = 2u * kStepReach;  // of a bone

// The effect of an inner joint on the curve about it.
struct CurveStep {
  float arc;     // s_i
  vec2 turning;  // w before and after the joint
  vec2 window;   // g
  float round;   // r
  // axis of the swing by `angle` in R_i; the swing follows a roll about x
  vec3 axis;
  float angle;
  float roll;
  vec3 jump;    // e_i - e_i-1
  vec3 uncut;   // f/12 of the jump
  vec3 speed;   // v_i
  vec3 inside;  // towards the inside of the bend, 2 sin h long
};

// A bone's part of the curve.
struct CurveSteps {
  uint count;
  CurveStep step[kMaxSteps];
  vec4 frame;                   // frame of the bone before the first step
  vec3 first;                   // point of the bone's first anchor
  float arc;                    // s at that anchor
  vec3 slope;                   // e of the bone
  float rest;                   // its length at rest
  // Displacements of the curve's control points on the bone, and how far from its ends they reach.
  vec3 first_shift, last_shift;
  vec2 shift_reach;
};

PELT_SHARED_FN float on_side(vec2 sides, float way) { return way < 0.0f ? sides.x : sides.y; }

// 1 at a = 0, 0 from a = 1 on, flat at both; and its slope.
PELT_SHARED_FN float smooth_window(float a) {
  float left = 1.0f - a * a * a;
  return a < 1.0f ? left * left * left : 0.0f;
}
PELT_SHARED_FN float smooth_window_slope(float a) {
  float left = 1.0f - a * a * a;
  return a < 1.0f ? -9.0f * a * a * left * left : 0.0f;
}

// How near a place is to a joint: 1 at the joint, 0 at `reach` and beyond, linear but for the end.
PELT_SHARED_FN float step_ramp(float way, float reach) {
  float u = max(1.0f - abs(way) / max(reach, 1e-20f), 0.0f);
  const float ease = kStepEase;
  return (u < ease ? u * u / (2.0f * ease) : u - 0.5f * ease) / (1.0f - 0.5f * ease);
}

// Returns S.
PELT_SHARED_FN float step_share(vec2 turning, float way) {
  float half_share = 0.5f * step_ramp(way, on_side(turning, way));
  return way < 0.0f ? half_share : 1.0f - half_share;
}

// Returns B: the distance between a corner and the curve that a step of 1/2 + 3/4 a - 1/4 a^3 makes of it.
PELT_SHARED_FN float step_round(float a) {
  return a < 1.0f ? 0.1875f + a * (-0.5f + a * (0.375f - 0.0625f * a * a)) : 0.0f;
}
PELT_SHARED_FN float step_round_slope(float a) { return a < 1.0f ? -0.5f + a * (0.75f - 0.25f * a * a) : 0.0f; }

// The bone's posed direction and its frame; y is carried by the bone's joint without twist.
struct CurveBone {
  vec3 slope;  // e
  vec3 along;
  vec4 frame;
};

PELT_SHARED_FN CurveBone step_bone(PoseWork work, Chain chain, uint curve, uint bone,
                                   PELT_SHARED_IN(ChainRange) range) {
  uint word = curve_anchor_word(work, curve, bone);
  uint carrying = carrying_anchor(chain, bone);
  vec4 motion = untwisted_motion(work, chain, carrying, range.anchor[carrying - range.first]);
  vec3 carried = quaternion_rotate(motion, table_vector(work, word + kCurveAnchorDirection));
  float length = table_float(work, word + kCurveAnchorWords) - table_float(work, word);
  CurveBone result;
  result.slope = (range_position(range, bone + 1u) - range_position(range, bone)) * (1.0f / length);
  result.along = normalize_or(result.slope, carried);
  vec3 y = quaternion_rotate(motion, table_vector(work, word + kCurveAnchorReference));
  y = least_turn(y, carried, result.along);
  y = direction_across(result.along, y, frame_side(result.along, result.along));
  result.frame = quaternion_from_rotation(mat3(result.along, y, cross(result.along, y)));
  return result;
}

// The bends of the joints next to joint i, weighted by how far they stand within its turn: such joints share the
// correction of the speed.
PELT_SHARED_FN float bend_beside(PoseWork work, Chain chain, uint curve, uint i, float turning,
                                 PELT_SHARED_IN(ChainRange) range) {
  uint word = curve_anchor_word(work, curve, i);
  float sum = 0.0f;
  for (uint side = 0u; side < 2u; ++side) {
    if (side == 0u ? i < 2u : i + 2u >= chain.anchor_count) continue;
    uint next = side == 0u ? i - 1u : i + 1u;
    uint beyond = side == 0u ? i - 2u : i + 2u;
    float gap = abs(table_float(work, word) - table_float(work, curve_anchor_word(work, curve, next)));
    if (gap >= turning) continue;
    vec3 at = range_position(range, next);
    float bend = bend_between(at - range_position(range, i), range_position(range, beyond) - at);
    sum += bend * (1.0f - gap / turning);
  }
  return sum;
}

PELT_SHARED_FN CurveStep curve_step(PoseWork work, Chain chain, uint curve, uint i, PELT_SHARED_IN(CurveBone) coming,
                                    PELT_SHARED_IN(CurveBone) going, PELT_SHARED_IN(ChainRange) range) {
  uint word = curve_anchor_word(work, curve, i);
  CurveStep joint;
  joint.arc = table_float(work, word);
  joint.turning = vec2(table_float(work, word + kCurveAnchorTurning), table_float(work, word + kCurveAnchorTurning + 1u));
  joint.window = vec2(table_float(work, word + kCurveAnchorWindow), table_float(work, word + kCurveAnchorWindow + 1u));
  // If a joint is scaled to nothing, its bone is a point: the curve then only continues in the bone's direction.
  float paces[2];
  paces[0] = length(coming.slope);
  paces[1] = length(going.slope);
  float most = max(paces[0], paces[1]);
  bool hidden = min(paces[0], paces[1]) < kHiddenScale * most;
  joint.jump = hidden ? (going.along - coming.along) * most : going.slope - coming.slope;
  joint.inside = going.along - coming.along;
  float bend = bend_between(coming.along, going.along);

  // The motion from the frame before to the frame after, in the frame before: the least turn of x, then a roll about x.
  vec4 between = quaternion_product(quaternion_conjugate(coming.frame), going.frame);
  vec3 x = quaternion_rotate(between, vec3(1, 0, 0));
  joint.angle = atan_of(length(vec2(x.y, x.z)), x.x);
  joint.axis = normalize_or(vec3(0.0f, -x.z, x.y), vec3(0, 0, 1));
  vec4 swing = quaternion_about(joint.axis, joint.angle);
  joint.roll = twist_angle(quaternion_product(quaternion_conjugate(swing), between), vec3(1, 0, 0));

  float turning = min(joint.turning.x, joint.turning.y);
  float reach = min(floating_distance(work, word, kStepRounding, bend), 0.9f * turning);
  joint.round = max(reach * (8.0f / 9.0f), 1e-20f);
  joint.uncut = joint.jump * (reach * (1.0f / 12.0f));

  float pace = hidden ? most : 0.5f * (paces[0] + paces[1]);
  float both = bend + bend_beside(work, chain, curve, i, turning, range);
  float lacking = 1.0f - cos_of(0.5f * both);
  float inside = kStepMargin * table_float(work, word + kCurveAnchorDistance) * 0.5f * both /
                 max((1.0f - 0.5f * kStepEase) * turning, 1e-20f);
  float more = clamp(inside - (1.0f - lacking), kStepSpeed * lacking, lacking);
  more *= both > 0.0f ? bend / both : 1.0f;
  joint.speed = normalize_or(coming.along + going.along, going.along) * (more * pace);
  return joint;
}

PELT_SHARED_FN CurveSteps curve_steps(PoseWork work, Chain chain, uint curve, uint bone, uint from, uint to,
                                      PELT_SHARED_IN(ChainRange) range) {
  uint word = curve_anchor_word(work, curve, bone);
  CurveSteps steps;
  steps.count = to - from;
  steps.arc = table_float(work, word);
  steps.rest = table_float(work, word + kCurveAnchorWords) - steps.arc;
  steps.first = range_position(range, bone);
  CurveBone bones[kMaxSteps + 1u];
  for (uint i = from - 1u; i < to; ++i) bones[i + 1u - from] = step_bone(work, chain, curve, i, range);
  for (uint i = from; i < to; ++i) {
    steps.step[i - from] = curve_step(work, chain, curve, i, bones[i - from], bones[i + 1u - from], range);
  }
  steps.frame = bones[0].frame;
  steps.slope = bones[bone + 1u - from].slope;
  steps.first_shift = posed_displacement(chain, range, bone, table_vector(work, word + kCurveAnchorAfter));
  steps.last_shift =
      posed_displacement(chain, range, bone, table_vector(work, word + kCurveAnchorWords + kCurveAnchorBefore));
  steps.shift_reach = vec2(min(table_float(work, word + kCurveAnchorTurning + 1u), steps.rest),
                           min(table_float(work, word + kCurveAnchorWords + kCurveAnchorTurning), steps.rest));
  return steps;
}

// The shift of the curve by a displaced control point: greatest in the middle of its reach, where it is as in a
// B-spline.
PELT_SHARED_FN CurvePoint step_shift(vec3 displacement, float way, float reach) {
  float half_reach = max(0.5f * reach, 1e-20f);
  float a = (way - half_reach) / half_reach;
  const float most = 2.0f / 3.0f;
  return CurvePoint(displacement * (most * smooth_window(abs(a))),
                    displacement * (most * smooth_window_slope(abs(a)) / half_reach * (a < 0.0f ? -1.0f : 1.0f)));
}

PELT_SHARED_FN CurvePoint step_point(PELT_SHARED_IN(CurveSteps) steps, float lambda) {
  float s = steps.arc + lambda * steps.rest;
  CurvePoint result = CurvePoint(steps.first + steps.slope * (lambda * steps.rest), steps.slope);
  for (uint i = 0u; i < steps.count; ++i) {
    float way = s - steps.step[i].arc;
    float side = way < 0.0f ? -1.0f : 1.0f;
    float round = steps.step[i].round;
    float a = abs(way) / round;
    float window = max(on_side(steps.step[i].window, way), 1e-20f);
    float g = smooth_window(abs(way) / window);
    float slope = side * smooth_window_slope(abs(way) / window) / window;
    result.point += steps.step[i].jump * (round * step_round(a)) - steps.step[i].uncut * g +
                    steps.step[i].speed * (way * g);
    result.slope += steps.step[i].jump * (side * step_round_slope(a)) - steps.step[i].uncut * slope +
                    steps.step[i].speed * (g + way * slope);
  }
  CurvePoint first = step_shift(steps.first_shift, lambda * steps.rest, steps.shift_reach.x);
  CurvePoint last = step_shift(steps.last_shift, (1.0f - lambda) * steps.rest, steps.shift_reach.y);
  return CurvePoint(result.point + first.point + last.point, result.slope + first.slope - last.slope);
}

PELT_SHARED_FN CurveAxes step_axes(PELT_SHARED_IN(CurveSteps) steps, float lambda) {
  float s = steps.arc + lambda * steps.rest;
  vec4 frame = steps.frame;
  for (uint i = 0u; i < steps.count; ++i) {
    float share = step_share(steps.step[i].turning, s - steps.step[i].arc);
    if (!(share > 0.0f)) continue;
    frame = quaternion_product(frame, quaternion_about(steps.step[i].axis, share * steps.step[i].angle));
    frame = quaternion_product(frame, quaternion_about(vec3(1, 0, 0), share * steps.step[i].roll));
  }
  frame = normalize(frame);
  return CurveAxes(quaternion_rotate(frame, vec3(1, 0, 0)), quaternion_rotate(frame, vec3(0, 1, 0)));
}

// The sum of the directions towards the inside of the bends about a place.
PELT_SHARED_FN vec3 step_inside(PELT_SHARED_IN(CurveSteps) steps, float lambda) {
  float s = steps.arc + lambda * steps.rest;
  vec3 inside = vec3(0.0f);
  for (uint i = 0u; i < steps.count; ++i) {
    float way = s - steps.step[i].arc;
    inside += steps.step[i].inside * step_ramp(way, on_side(steps.step[i].turning, way));
  }
  return inside;
}

// Returns the inner joints [x, y) whose steps reach into a bone.
PELT_SHARED_FN uvec2 steps_at(PoseWork work, Chain chain, uint curve, uint bone) {
  uint word = curve_anchor_word(work, curve, 0u);
  uint from = bone + 1u > kStepReach ? max(bone + 1u - kStepReach, 1u) : 1u;
  uint to = min(bone + 1u + kStepReach, chain.anchor_count - 1u);
  float first = table_float(work, word + bone * kCurveAnchorWords);
  float last = table_float(work, word + (bone + 1u) * kCurveAnchorWords);
  while (from <= bone) {
    uint joint = word + from * kCurveAnchorWords;
    if (table_float(work, joint) + table_float(work, joint + kCurveAnchorWindow + 1u) > first) break;
    ++from;
  }
  while (to > bone + 1u) {
    uint joint = word + (to - 1u) * kCurveAnchorWords;
    if (table_float(work, joint) - table_float(work, joint + kCurveAnchorWindow) < last) break;
    --to;
  }
  return uvec2(from, to);
}

PELT_SHARED_END

#endif
