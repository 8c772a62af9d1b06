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
//
// Where bendy bones give eases E the curve passes through the joint instead, as Blender's cubic Bezier curves do. On a
// bone of rest length L, a = |q| / L, what its end at joint i adds to the polygon is that end of a cubic Hermite curve:
//     q (1 - a)^2 H_i,   H_i = E_i |e| (2 / (1 + cos h)) t_i - e,   t_i = unit(x_i-1 + x_i)
// S is the part of the bend by which the curve's slope has turned; where the slope swings beyond, S is below 0 or above
// 1. Beside a stiff bone t_i is the direction of that bone, and the other bone takes all of the bend. A displaced
// control point adds to H (kStepLift).
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
PELT_SHARED_CONST float kStepLift = 4.5f;      // slope at an eased joint that a displaced control point adds, times L
PELT_SHARED_CONST float kStepPace = 0.25f;     // least pace along the bone at which frames turn as the slope does
PELT_SHARED_CONST uint kStepReach = 3u;        // bones on either side that a step reaches at most

// What an anchor gives the curve about it, posed (step_pose.h): the frame and e of the bone that leaves it, and its
// step if it is an inner one.
struct CurveStep {
  vec4 frame;
  vec3 slope;   // e_i
  float twist;  // Theta_i, less what the joint leaves to the bone that leaves it
  vec3 jump;    // e_i - e_i-1; by eases H before the joint
  float reach;  // f; less than 0: by eases
  vec3 speed;   // v_i; by eases H after the joint
  float angle;  // of the swing in R_i; a roll about x follows it
  vec3 inside;  // towards the inside of the bend, 2 sin h long
  float roll;
  vec2 swing;  // y and z of the swing's axis, which is across x, times its angle
  float bend;  // 1 - cos theta
};

PELT_SHARED_CONST uint kCurveStepSlots = 2u;  // palette entries

PELT_SHARED_FN CurveStep posed_step(PoseWork work, uint slot) {
  Affine one = palette_entry(work, slot);
  Affine other = palette_entry(work, slot + 1u);
  return CurveStep(one[0], vec3(one[1]), one[1].w, vec3(one[2]), one[2].w, vec3(other[0]), other[0].w, vec3(other[1]),
                   other[1].w, vec2(other[2]), other[2].z);
}

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

// The slope of q (1 - a)^2.
PELT_SHARED_FN float handle_slope(float a) { return (1.0f - a) * (1.0f - 3.0f * a); }

// Returns S of an eased joint, at `word`, within `lengths` of it: L of the bones that bend, 0 for a stiff one.
PELT_SHARED_FN float eased_share(PoseWork work, uint word, vec2 lengths, float way) {
  vec2 eases = anchor_eases(work, word);
  uint other = way < 0.0f ? word - kCurveAnchorWords : word + kCurveAnchorWords;
  float a = min(abs(way) / max(on_side(lengths, way), 1e-20f), 1.0f);
  float own = handle_slope(a);
  float ease = on_side(eases, way);
  float pace = 1.0f + own * (ease - 1.0f);
  if (is_eased(work, other)) pace += handle_slope(1.0f - a) * (on_side(anchor_eases(work, other), -way) - 1.0f);
  float part = min(eases.x, eases.y) > 0.0f ? 0.5f : 1.0f;
  float share = part * own * ease / max(pace, max(min(ease, kStepPace), 1e-20f));
  return way < 0.0f ? share : 1.0f - share;
}

// Returns B: the distance between a corner and the curve that a step of 1/2 + 3/4 a - 1/4 a^3 makes of it.
PELT_SHARED_FN float step_round(float a) {
  return a < 1.0f ? 0.1875f + a * (-0.5f + a * (0.375f - 0.0625f * a * a)) : 0.0f;
}
PELT_SHARED_FN float step_round_slope(float a) { return a < 1.0f ? -0.5f + a * (0.75f - 0.25f * a * a) : 0.0f; }

// The shift of the curve by a displaced control point: greatest in the middle of its reach, where it is as in a
// B-spline.
PELT_SHARED_FN CurvePoint step_shift(vec3 displacement, float way, float reach) {
  float half_reach = max(0.5f * reach, 1e-20f);
  float a = (way - half_reach) / half_reach;
  const float most = 2.0f / 3.0f;
  return CurvePoint(displacement * (most * smooth_window(abs(a))),
                    displacement * (most * smooth_window_slope(abs(a)) / half_reach * (a < 0.0f ? -1.0f : 1.0f)));
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

// The curve at a place, and its frame before twist and bulge.
struct CurveSection {
  CurvePoint place;
  CurveAxes axes;
  vec3 inside;  // the sum of the directions towards the inside of the bends about the place
};

// Adds the step of a joint to the place that is `way` after it, within its window.
PELT_SHARED_FN CurveSection add_step(PELT_SHARED_IN(CurveSection) section, PELT_SHARED_IN(CurveStep) step, float way,
                                     vec2 turning, vec2 windows) {
  CurveSection result = section;
  float window = max(on_side(windows, way), 1e-20f);
  result.inside += step.inside * step_ramp(way, on_side(turning, way));
  if (step.reach < 0.0f) {
    float a = abs(way) / window;
    vec3 handle = way < 0.0f ? step.jump : step.speed;
    result.place.point += handle * (way * (1.0f - a) * (1.0f - a));
    result.place.slope += handle * handle_slope(a);
    return result;
  }
  float side = way < 0.0f ? -1.0f : 1.0f;
  float round = max(step.reach * (8.0f / 9.0f), 1e-20f);
  float a = abs(way) / round;
  float g = smooth_window(abs(way) / window);
  float slope = side * smooth_window_slope(abs(way) / window) / window;
  vec3 uncut = step.jump * (step.reach * (1.0f / 12.0f));
  result.place.point += step.jump * (round * step_round(a)) - uncut * g + step.speed * (way * g);
  result.place.slope += step.jump * (side * step_round_slope(a)) - uncut * slope + step.speed * (g + way * slope);
  return result;
}

// Returns R_i^share: the roll, then the swing.
PELT_SHARED_FN vec4 swing_and_roll(PELT_SHARED_IN(CurveStep) step, float share) {
  float half_swing = 0.5f * share * step.angle;
  float half_roll = 0.5f * share * step.roll;
  vec2 swing = step.swing * (step.angle > 1e-20f ? near_sin(half_swing) / step.angle : 0.0f);
  float along = near_cos(half_swing);
  float sine = near_sin(half_roll);
  float cosine = near_cos(half_roll);
  return vec4(along * sine, swing.x * cosine + swing.y * sine, swing.y * cosine - swing.x * sine, along * cosine);
}

// Returns the curve at lambda of a bone.
PELT_SHARED_FN CurveSection step_section(PoseWork work, Chain chain, uint curve, uint bone, float lambda) {
  uint anchors = curve_anchor_word(work, curve, 0u);
  uint first_step = table_word(work, curve + kCurveFirstStep);
  uint word = anchors + bone * kCurveAnchorWords;
  float arc = table_float(work, word);
  float rest = table_float(work, word + kCurveAnchorWords) - arc;
  float way_in = lambda * rest;
  vec3 slope = posed_step(work, first_step + kCurveStepSlots * bone).slope;
  CurveSection section;
  section.place = CurvePoint(posed_position(work, chain, bone) + slope * way_in, slope);
  section.inside = vec3(0.0f);
  uvec2 joints = steps_at(work, chain, curve, bone);
  vec4 frame = posed_step(work, first_step + kCurveStepSlots * (joints.x - 1u)).frame;
  bool passed = true;
  for (uint i = joints.x; i < joints.y; ++i) {
    uint joint = anchors + i * kCurveAnchorWords;
    float way = arc + way_in - table_float(work, joint);
    vec2 turning =
        vec2(table_float(work, joint + kCurveAnchorTurning), table_float(work, joint + kCurveAnchorTurning + 1u));
    vec2 window =
        vec2(table_float(work, joint + kCurveAnchorWindow), table_float(work, joint + kCurveAnchorWindow + 1u));
    CurveStep step = posed_step(work, first_step + kCurveStepSlots * i);
    if (abs(way) < on_side(window, way)) section = add_step(section, step, way, turning, window);
    float share = is_eased(work, joint) ? eased_share(work, joint, window, way) : step_share(turning, way);
    // A joint that is passed, as all before it, leaves the frame of its bone.
    passed = passed && share == 1.0f;
    if (passed)
      frame = step.frame;
    else if (share != 0.0f)
      frame = quaternion_product(frame, swing_and_roll(step, share));
  }
  mat3 axes = rotation_from_quaternion(normalize(frame));
  section.axes = CurveAxes(axes[0], axes[1]);

  if (!is_eased(work, word)) {
    CurvePoint first = step_shift(posed_displacement(work, chain, bone, table_vector(work, word + kCurveAnchorAfter)),
                                  way_in, min(table_float(work, word + kCurveAnchorTurning + 1u), rest));
    section.place.point += first.point;
    section.place.slope += first.slope;
  }
  uint next = word + kCurveAnchorWords;
  if (!is_eased(work, next)) {
    CurvePoint last = step_shift(posed_displacement(work, chain, bone, table_vector(work, next + kCurveAnchorBefore)),
                                 rest - way_in, min(table_float(work, next + kCurveAnchorTurning), rest));
    section.place.point += last.point;
    section.place.slope -= last.slope;
  }
  return section;
}

PELT_SHARED_END

#endif
