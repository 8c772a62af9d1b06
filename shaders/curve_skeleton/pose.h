// SPDX-License-Identifier: MIT
// Curve skeleton (Yang, Somasekharan, Zhang 2006; docs/mathematics.md section 2): the palette entry of a curve sample
// is T = M^D (M^R)^-1, M the frame of the curve there, so that the blend's local point is the rest position.
//
// Frames come from steps at the joints (step_frames.h) or, as in the paper, from a spline (spline_frames.h). lambda is
// the fraction of the bone. Frames turn about x by Theta_i + (Theta_i+1 - Theta_i) dist(lambda)
// (shaders/chain/chain.h); a joint may leave part of its twist to the bone that leaves it: then Theta_i is less by
// after_i theta_i at J_i. Then the section bulges (bulge.h). Centre: (1 - centre) * curve point + centre * point of the
// bone.
#ifndef PELT_SHADERS_CURVE_SKELETON_POSE_H
#define PELT_SHADERS_CURVE_SKELETON_POSE_H

#include "bulge.h"
#include "curve.h"
#include "spline_frames.h"
#include "step_frames.h"

PELT_SHARED_BEGIN

// A bone's part of a posed curve, which its samples share. The kernel takes frames from the steps or from the spline,
// so that a shader holds only one of the two.
struct CurvePart {
  float centre;
  CurveEnd first, last;
  CurveSteps steps;
  CurveSpline spline;
};

PELT_SHARED_FN CurveEnd curve_end(PoseWork work, Chain chain, uint curve, uint i, PELT_SHARED_IN(ChainRange) range) {
  uint word = curve_anchor_word(work, curve, i);
  CurveEnd end;
  TurnedAnchor anchor = range.anchor[i - range.first];
  end.point = anchor.pose.position;
  end.arc = table_float(work, word);
  end.distance = table_float(work, word + kCurveAnchorDistance);
  end.scale = anchor.pose.scale;
  float left = table_float(work, word + kCurveAnchorTwistAfter);
  end.twist = along_chain(chain, i, anchor.twist - left * anchor.own);
  end.bulge = table_vector(work, word + kCurveAnchorBulge);
  end.bend = 0.0f;
  end.inside = vec3(0.0f);
  if (i > 0u && i + 1u < chain.anchor_count) {
    vec3 next = range_position(range, i + 1u) - end.point;
    vec3 coming = normalize_or(end.point - range_position(range, i - 1u), normalize_or(next, vec3(1, 0, 0)));
    vec3 going = normalize_or(next, coming);
    end.bend = 1.0f - dot(coming, going);
    end.inside = going - coming;
  }
  return end;
}

PELT_SHARED_FN CurvePart curve_part(CurveRecord record, PoseWork work, bool by_steps) {
  Chain chain = read_chain(work, record.curve);
  uint bone = record.bone;
  CurvePart part;
  part.centre = table_float(work, record.curve + kCurveCentre);
  uvec2 joints = by_steps ? steps_at(work, chain, record.curve, bone) : uvec2(bone + 1u);
  uint first = joints.x > 1u ? joints.x - 2u : 0u;
  ChainRange range = chain_range(work, chain, first, min(joints.y + 1u, chain.anchor_count - 1u));
  part.first = curve_end(work, chain, record.curve, bone, range);
  part.last = curve_end(work, chain, record.curve, bone + 1u, range);
  if (by_steps)
    part.steps = curve_steps(work, chain, record.curve, bone, joints.x, joints.y, range);
  else
    part.spline = curve_spline(work, chain, record.curve, bone, range);
  // A joint that is scaled to nothing hides the bones that it carries, and leaves the bone before it its size.
  bool first_hidden = part.first.scale < kHiddenScale;
  if (first_hidden != (part.last.scale < kHiddenScale)) {
    bool hidden = (carrying_anchor(chain, bone) == bone) == first_hidden;
    float scale = hidden ? 0.0f : max(part.first.scale, part.last.scale);
    part.first.scale = scale;
    part.last.scale = scale;
  }
  return part;
}

// Returns M at lambda.
PELT_SHARED_FN Affine curve_frame(PELT_SHARED_IN(CurvePart) part, float lambda, CurveShape shape, bool by_steps) {
  CurvePoint place;
  CurveAxes axes;
  vec3 inside;
  if (by_steps) {
    place = step_point(part.steps, lambda);
    axes = step_axes(part.steps, lambda);
    inside = step_inside(part.steps, lambda);
  } else {
    float t = spline_parameter(part.spline, lambda);
    place = spline_place(part.spline, t);
    axes = spline_axes(part.spline, lambda, t);
    float bone = part.last.arc - part.first.arc;
    inside = part.first.inside * end_ramp(lambda * bone, part.first.distance, bone) +
             part.last.inside * end_ramp((1.0f - lambda) * bone, part.last.distance, bone);
  }
  inside = inside - axes.x * dot(axes.x, inside);
  vec3 y = direction_across(axes.x, axes.y, frame_side(axes.x, axes.x));
  y = turned_about(axes.x, y, mix(part.first.twist, part.last.twist, shape.twist_share) + shape.twist);
  vec3 z = cross(axes.x, y);

  float scale = mix(part.first.scale, part.last.scale, lambda);
  float pace = dot(place.slope, axes.x) / max(scale, 1e-20f);
  CurveBulge bulge = curve_bulge(part.first, part.last, lambda, shape, inside, pace);
  vec3 origin = mix(place.point, mix(part.first.point, part.last.point, lambda), part.centre);
  return affine_from_axes(
      mat3(axes.x * scale, bulged(bulge, y) * (scale * shape.width_y), bulged(bulge, z) * (scale * shape.width_z)),
      origin);
}

PELT_SHARED_FN CurveShape curve_shape(PoseWork work, uint sample_word) {
  uint word = sample_word + kCurveSampleShape;
  return CurveShape(table_float(work, word), table_float(work, word + 1u), table_float(work, word + 2u),
                    table_float(work, word + 3u), table_float(work, word + 4u), table_float(work, word + 5u));
}

// Returns the palette entry of sample k of the record.
PELT_SHARED_FN Affine pose_curve_sample(CurveRecord record, PELT_SHARED_IN(CurvePart) part, PoseWork work, uint k,
                                        bool by_steps) {
  uint word = record.first_sample + k * kCurveSampleWords;
  return affine_compose(curve_frame(part, table_float(work, word), curve_shape(work, word), by_steps),
                        table_affine(work, word + kCurveSampleInverse));
}

PELT_SHARED_END

#endif
