// SPDX-License-Identifier: MIT
// Curve skeleton (Yang, Somasekharan, Zhang 2006; docs/mathematics.md section 2): the palette entry of a curve sample
// is T = M^D (M^R)^-1, M the frame of the curve at the sample, so that the blend's local point is the rest position.
//
// Frames come from steps at the joints (step_frames.h) or, as in the paper, from a spline (spline_frames.h). lambda is
// the fraction of the bone. Frames turn about x by Theta_i + (Theta_i+1 - Theta_i) dist(lambda)
// (shaders/chain/chain.h); a joint may give part of its twist to the bone that leaves it: then Theta_i at J_i is
// smaller by after_i theta_i. Then the section bulges (bulge.h). Centre: (1 - centre) * curve point + centre * point of
// the bone.
#ifndef PELT_SHADERS_CURVE_SKELETON_POSE_H
#define PELT_SHADERS_CURVE_SKELETON_POSE_H

#include "bulge.h"
#include "curve.h"
#include "spline_frames.h"
#include "step_frames.h"

PELT_SHARED_BEGIN

// A joint that is scaled to nothing hides the bones that it carries; the bone before it keeps its size.
PELT_SHARED_FN vec2 bone_scales(Chain chain, uint bone, float first, float last) {
  bool hidden = (carrying_anchor(chain, bone) == bone) == (first < last);
  vec2 scales = vec2(hidden ? 0.0f : max(first, last));
  return mix(scales, vec2(first, last), shown_share(min(first, last), max(first, last)));
}

PELT_SHARED_FN CurveEnd curve_end(PoseWork work, uint curve, uint i, TurnedAnchor anchor) {
  uint word = curve_anchor_word(work, curve, i);
  CurveEnd end;
  end.point = anchor.pose.position;
  end.arc = table_float(work, word);
  end.distance = table_float(work, word + kCurveAnchorDistance);
  end.scale = anchor.pose.scale;
  end.bulge = table_vector(work, word + kCurveAnchorBulge);
  return end;
}

// An end of a bone with frames from steps.
PELT_SHARED_FN CurveEnd step_end(PoseWork work, Chain chain, uint curve, uint i) {
  CurveEnd end = curve_end(work, curve, i, posed_anchor(work, chain, i));
  CurveStep step = posed_step(work, table_word(work, curve + kCurveFirstStep) + kCurveStepEntries * i);
  end.twist = step.twist;
  end.bend = step.bend;
  return end;
}

#include "section_frame.inl"

// A bone's part of a curve with frames from the spline, shared by the bone's samples.
struct CurvePart {
  float centre;
  CurveEnd first, last;
  vec3 first_inside, last_inside;  // towards the inside of the bend at the ends, 2 sin(theta/2) long
  vec2 scales;
  CurveSpline spline;
};

PELT_SHARED_FN CurvePart curve_part(PoseWork work, uint curve, uint bone) {
  Chain chain = read_chain(work, curve);
  CurvePart part;
  part.centre = table_float(work, curve + kCurveCentre);
  CurveEnd ends[2];
  vec3 inside[2];
  for (uint e = 0u; e < 2u; ++e) {
    uint i = bone + e;
    TurnedAnchor anchor = posed_anchor(work, chain, i);
    ends[e] = curve_end(work, curve, i, anchor);
    float left = table_float(work, curve_anchor_word(work, curve, i) + kCurveAnchorTwistAfter);
    ends[e].twist = along_chain(chain, i, anchor_twist(work, chain, i, anchor) - left * anchor.twist_from_upper);
    ends[e].bend = 0.0f;
    inside[e] = vec3(0.0f);
    if (i > 0u && i + 1u < chain.anchor_count) {
      vec3 going = posed_direction(work, chain, i, vec3(1, 0, 0));
      vec3 coming = posed_direction(work, chain, i - 1u, going);
      ends[e].bend = 1.0f - dot(coming, going);
      inside[e] = going - coming;
    }
  }
  part.first = ends[0];
  part.last = ends[1];
  part.first_inside = inside[0];
  part.last_inside = inside[1];
  part.scales = bone_scales(chain, bone, part.first.scale, part.last.scale);
  part.spline = curve_spline(work, chain, curve, bone);
  return part;
}

// Returns M at lambda of a bone with frames from the spline, of which t is the parameter there.
PELT_SHARED_FN Affine spline_frame_at(PELT_SHARED_IN(CurvePart) part, float lambda, float t, CarriedAxis carried,
                                      CurveShape shape) {
  float bone = part.last.arc - part.first.arc;
  CurveSection section;
  section.place = spline_place(part.spline, t);
  section.axes = spline_axes(part.spline, lambda, t, carried);
  section.inside = part.first_inside * end_ramp(lambda * bone, part.first.distance, bone) +
                   part.last_inside * end_ramp((1.0f - lambda) * bone, part.last.distance, bone);
  section.press = vec3(0.0f);
  section.shift = vec3(0.0f);
  section.kept = 1.0f;
  return curve_frame(section, part.first, part.last, part.scales, part.centre, lambda, shape);
}

// Returns M at lambda of a bone with frames from the spline: one of many samples of the bone.
PELT_SHARED_FN Affine spline_curve_frame(PELT_SHARED_IN(CurvePart) part, float lambda, CurveShape shape) {
  float t = spline_parameter(part.spline, lambda);
  return spline_frame_at(part, lambda, t, carried_axis(part.spline, t), shape);
}

PELT_SHARED_FN CurveShape curve_shape(PoseWork work, uint sample_word) {
  uint word = sample_word + kCurveSampleShape;
  return CurveShape(table_float(work, word), table_float(work, word + 1u), table_float(work, word + 2u),
                    table_float(work, word + 3u), table_float(work, word + 4u), table_float(work, word + 5u));
}

// Returns the palette entry of the sample at a word, whose frame is M.
PELT_SHARED_FN Affine curve_sample_entry(PoseWork work, uint word, Affine frame) {
  return affine_compose(frame, table_affine(work, word + kCurveSampleInverse));
}

// Returns the palette entry of sample k of a record, with frames from steps.
PELT_SHARED_FN Affine pose_curve_sample(CurveRecord record, PoseWork work, uint k) {
  uint word = record.first_sample + k * kCurveSampleWords;
  return curve_sample_entry(
      work, word, step_curve_frame(work, record.curve, record.bone, table_float(work, word), curve_shape(work, word)));
}

// Return the same with frames from the spline; of a lone sample, or of one of many of the bone.
PELT_SHARED_FN Affine pose_spline_sample(CurveRecord record, PoseWork work, uint k) {
  CurvePart part = curve_part(work, record.curve, record.bone);
  uint word = record.first_sample + k * kCurveSampleWords;
  float lambda = table_float(work, word);
  float t = spline_parameter(part.spline, lambda);
  CarriedAxis carried = lone_carried_axis(part.spline, t);
  return curve_sample_entry(work, word, spline_frame_at(part, lambda, t, carried, curve_shape(work, word)));
}
PELT_SHARED_FN Affine pose_spline_sample_of(CurveRecord record, PELT_SHARED_IN(CurvePart) part, PoseWork work, uint k) {
  uint word = record.first_sample + k * kCurveSampleWords;
  return curve_sample_entry(work, word, spline_curve_frame(part, table_float(work, word), curve_shape(work, word)));
}

PELT_SHARED_END

#endif
