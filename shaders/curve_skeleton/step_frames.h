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

// At a joint itself the bone says on which side a place is.
PELT_SHARED_FN float on_side(vec2 sides, bool before) { return before ? sides.x : sides.y; }

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

#include "section.inl"

PELT_SHARED_END

#endif
