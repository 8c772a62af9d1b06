// SPDX-License-Identifier: MIT
// Automatic frames of curves. A spline's own frames fold a thick limb on the inside of a bend, or lean in a thin one
// over its whole length. Here the curve is the polygon of the joints, and each inner joint i bends it by one smooth
// step. A step may be longer than the bones next to it, so the bends of joints that are close together, or coincide,
// blend into each other (s: rest length along the bones, e_i: posed bone over its rest length, theta_i: bend,
// h = theta_i / 2, q = s - s_i):
//     frame    F(s) = F_0 prod_i R_i^S(q)               R_i^S: S of the turn from rest, after S of the turn at rest
//     curve    C(s) = polygon + sum_i (e_i - e_i-1) (r B(|q| / r) - f/12 G(|q| / g)) + v_i q G(|q| / g)
// S rises from 0 to 1 within w = 2.4 d of the joint, or within the curve, at an even rate except at its ends: the slerp
// of a single joint, slower than the curve passes the inside of the skin. Between long bones w is less: there the
// inside is pressed flat (docs/mathematics.md sections 2.2 and 2.6). F_k has x along the posed bone k, and y is the
// rest pose's y carried by the bone's joint without twist. B rounds the corner like a B-spline of the floating distance
// f = margin 2 d sin h; G, which is 1 at the joint and flat at both ends, takes back half of that. In the rounded
// corner the curve advances by only cos h for each step along the bones; v_i restores a quarter of the missing part. If
// the bend is so sharp that the inside of the skin would stop, v_i restores as much as needed: up to 1.2 d h / (0.9 w).
// Joints within each other's turns use the sum of their bends and share the correction. The constants were measured on
// limbs a quarter to three quarters of a bone thick (docs/curve_skeleton.md).
//
// The flesh of limbs turns about its joint instead, as R_i^S does; its sides overlap inside the bend.
//
// If bendy bones set eases E, the curve passes through the joint instead, as Blender's cubic Bezier curves do. On a
// bone of rest length L, with a = |q| / L, its end at joint i adds this end of a cubic Hermite curve to the polygon:
//     q (1 - a)^2 H_i,   H_i = E_i |e| (2 / (1 + cos h)) t_i - e,   t_i = unit(x_i-1 + x_i)
// S is the part of the bend by which the curve's slope has turned; it is below 0 or above 1 if the slope overshoots.
// Next to a stiff bone t_i is that bone's direction, and the other bone takes the whole bend. A displaced control point
// adds to H (kStepLift).
#ifndef PELT_SHADERS_CURVE_SKELETON_STEP_FRAMES_H
#define PELT_SHADERS_CURVE_SKELETON_STEP_FRAMES_H

#include "curve.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST float kStepRounding = 2.0f;    // f, in skin distances
PELT_SHARED_CONST float kStepSpeed = 0.25f;      // least part of the speed lost in a bend that is restored
PELT_SHARED_CONST float kStepMargin = 1.2f;      // pace, relative to that at which the inside of the skin would stop
PELT_SHARED_CONST float kStepTurning = 2.4f;     // w, in skin distances
PELT_SHARED_CONST float kStepPressed = 1.4f;     // least w, in skin distances, of a joint whose inside is pressed
PELT_SHARED_CONST float kStepWindow = 1.5f;      // g, in parts of w
PELT_SHARED_CONST float kStepEase = 0.2f;        // part of w over which the turn begins and ends smoothly
PELT_SHARED_CONST float kStepLeastPress = 0.3f;  // bend from which sides may meet
PELT_SHARED_CONST float kStepNear = 0.05f;       // at the joint the centre of the curvature counts, not the plane
PELT_SHARED_CONST float kStepInner = 1.06f;      // inside of a section from its centre, in mean radii
PELT_SHARED_CONST float kStepSoft = 0.2f;        // section radii over which press begins
PELT_SHARED_CONST float kStepLift = 4.5f;   // slope, times L, that a displaced control point adds at an eased joint
PELT_SHARED_CONST float kStepPace = 0.25f;  // least pace along the bone at which frames turn as the slope does
PELT_SHARED_CONST uint kStepReach = 3u;     // bones that a step reaches at most, on either side

// The posed contribution of an anchor to the curve round it (step_pose.h): the frame and e of the bone that leaves it,
// and the step of an inner anchor.
struct CurveStep {
  vec4 frame;
  vec3 slope;   // e_i
  float twist;  // Theta_i, less the part that the joint gives to the bone that leaves it
  vec3 jump;    // e_i - e_i-1; with eases: H before the joint
  float reach;  // f; negative: eased (step_eases)
  vec3 speed;   // v_i; with eases: H after the joint
  float angle;  // theta_i
  vec3 inside;  // towards the inside of the bend, 2 sin h long
  float bend;   // 1 - cos theta
  vec3 turn;    // axis of the turn from rest in R_i, times its angle
  float ease;   // of an eased joint, before it
};

PELT_SHARED_CONST uint kCurveStepEntries = 2u;  // palette entries
PELT_SHARED_CONST float kLeastEase = 1e-20f;    // smaller ones count as 0

// The eases of a joint before and after it; 1 if it is not eased.
PELT_SHARED_FN vec2 step_eases(PELT_SHARED_IN(CurveStep) step) {
  return step.reach < 0.0f ? vec2(step.ease, -step.reach > kLeastEase ? -step.reach : 0.0f) : vec2(1.0f);
}

PELT_SHARED_FN CurveStep posed_step(PoseWork work, uint entry) {
  Affine one = palette_entry(work, entry);
  Affine other = palette_entry(work, entry + 1u);
  return CurveStep(one[0], vec3(one[1]), one[1].w, vec3(one[2]), one[2].w, vec3(other[0]), other[0].w, vec3(other[1]),
                   other[1].w, vec3(other[2]), other[2].w);
}

// Returns the turn at rest in R_i, as CurveStep::turn.
PELT_SHARED_FN vec3 rest_turn(PoseWork work, uint joint) {
  uint word = joint + kCurveAnchorRest;
  return vec3(0.0f, table_float(work, word), table_float(work, word + 1u));
}

// Returns the share of the curve that turns about a joint instead of cutting its corner.
PELT_SHARED_FN float turned_share(PoseWork work, uint joint, float bend) {
  float around = mix(table_float(work, joint + kCurveAnchorAround), 1.0f, folded_back(bend));
  return around * (1.0f - table_float(work, joint + kCurveAnchorTube));
}

// A point at a joint is on the side of its bone.
PELT_SHARED_FN float on_side(vec2 sides, bool before) { return before ? sides.x : sides.y; }

// Returns the inner joints [x, y) from the first to the last whose step reaches into a bone.
PELT_SHARED_FN uvec2 steps_at(PoseWork work, Chain chain, uint curve, uint bone) {
  uint word = curve_anchor_word(work, curve, 0u);
  float first = table_float(work, word + bone * kCurveAnchorWords);
  float last = table_float(work, word + (bone + 1u) * kCurveAnchorWords);
  uvec2 joints = uvec2(bone + 1u);
  for (uint k = 0u; k < kStepReach; ++k) {
    // Loads wait for each other in branches.
    uint before = word + (bone - min(k, bone)) * kCurveAnchorWords;
    uint after = word + min(bone + 1u + k, chain.anchor_count - 1u) * kCurveAnchorWords;
    float end = table_float(work, before) + table_float(work, before + kCurveAnchorWindow + 1u);
    float begin = table_float(work, after) - table_float(work, after + kCurveAnchorWindow);
    if (bone > k && end > first) joints.x = bone - k;
    if (bone + k + 2u < chain.anchor_count && begin < last) joints.y = bone + k + 2u;
  }
  return joints;
}

#include "section.inl"

PELT_SHARED_END

#endif
