// SPDX-License-Identifier: MIT
// The paper's frames of curves (Yang, Somasekharan, Zhang 2006). Anchors J_0 .. J_n; control points J_0, (B_i-, J_i,
// B_i+) for each inner anchor, J_n: a uniform cubic B-spline with phantom ends 2 P_0 - P_1, so that it reaches both
// ends and J_i is at t = 3i - 1. B_i-, B_i+ lie on the posed bones next to J_i, at the distance f_i. f_i follows from
// the bend theta_i: the radius of curvature at J_i, r = f cos^2(theta/2) / (2 sin(theta/2)), is at least the skin's
// distance d_i if there is room:
//     f = clamp(margin 2 d sin(theta/2) / cos^2(theta/2), f_min, f_max),        or f keyed over theta.
// f grows with the joint's scale; on a shortened bone, f is at most the same fraction of the bone as f_max is at rest.
// Parameter. A sample stays at its fraction lambda of the posed bone; sum_j N_j(t) s_j = s gives its t in a pose, s_j
// the length of control point j along the posed bones. Frames at J_i: x = unit tangent, y = z_i x x, z = x x y. z_i is
// the joint's reference axis, carried without twist and with half the swing. Between them
//     endpoint   x, y interpolated linearly in lambda, orthonormalised, x first                       (equation 2)
//     tangent    x = unit tangent, y by double reflection from J_i; the angle left at J_i+1 spread linearly in lambda
#ifndef PELT_SHADERS_CURVE_SKELETON_SPLINE_FRAMES_H
#define PELT_SHADERS_CURVE_SKELETON_SPLINE_FRAMES_H

#include "curve.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST float kLeastReach = 1e-3f;   // f at a joint scaled to nothing, in skin distances
PELT_SHARED_CONST int kCurveReflections = 12;  // steps in which y is carried along a bone

// A bone's part of the spline.
struct CurveSpline {
  bool endpoint;    // true: endpoint frames; false: tangent frames
  vec3 control[6];  // with a phantom point at each end of the curve
  float arc[6];     // distance of each control point from the bone's first anchor, along the posed bones
  int spans;        // 1 to 3; span k has control[k] .. control[k + 3]
  vec3 along;       // from the first anchor to the last
  float stretch;    // posed length over rest length of the bone
  CurveAxes first, last;
  vec3 carried[kCurveReflections + 1];  // y from the first anchor, in equal steps of t
  float remaining;                      // angle left at the last anchor
};

// Position, velocity and arc length, with its slope, of span k at u.
PELT_SHARED_FN vec3 spline_point(PELT_SHARED_IN(CurveSpline) part, int k, float u) {
  return mix4(spline_basis(u), part.control[k], part.control[k + 1], part.control[k + 2], part.control[k + 3]);
}
PELT_SHARED_FN vec3 spline_velocity(PELT_SHARED_IN(CurveSpline) part, int k, float u) {
  return mix4(spline_slope(u), part.control[k], part.control[k + 1], part.control[k + 2], part.control[k + 3]);
}
PELT_SHARED_FN float spline_arc(PELT_SHARED_IN(CurveSpline) part, int k, float u) {
  return mix4(spline_basis(u), part.arc[k], part.arc[k + 1], part.arc[k + 2], part.arc[k + 3]);
}
PELT_SHARED_FN float spline_arc_slope(PELT_SHARED_IN(CurveSpline) part, int k, float u) {
  return mix4(spline_slope(u), part.arc[k], part.arc[k + 1], part.arc[k + 2], part.arc[k + 3]);
}

PELT_SHARED_FN vec3 spline_tangent(PELT_SHARED_IN(CurveSpline) part, int k, float u) {
  return normalize_or(spline_velocity(part, k, u), normalize_or(part.along, vec3(1, 0, 0)));
}

// y, carried from the first anchor of a bone to a point of the spline.
struct SplineWalk {
  vec3 point, x, y;
};

PELT_SHARED_FN SplineWalk spline_start(PELT_SHARED_IN(CurveSpline) part) {
  return SplineWalk(part.control[1], part.first.x, part.first.y);
}

// Carries y on to the end of step `step` of kCurveReflections.
PELT_SHARED_FN SplineWalk spline_walk(PELT_SHARED_IN(CurveSpline) part, SplineWalk walk, int step) {
  float t = float(step) / float(kCurveReflections) * float(part.spans);
  int k = spline_span(t, part.spans);
  vec3 point = spline_point(part, k, t - float(k));
  vec3 x = spline_tangent(part, k, t - float(k));
  return SplineWalk(point, x, double_reflection(walk.y, walk.point, walk.x, point, x));
}

// Returns the angle left at the last anchor, to which y was carried.
PELT_SHARED_FN float spline_remaining(PELT_SHARED_IN(CurveSpline) part, vec3 arrived) {
  float side = dot(cross(arrived, part.last.y), part.last.x);
  float same = dot(arrived, part.last.y);
  return abs(side) + abs(same) > 0.0f ? atan_of(side, same) : 0.0f;
}

// Returns the step that contains t, counted from 0.
PELT_SHARED_FN int spline_node(PELT_SHARED_IN(CurveSpline) part, float t) {
  return spline_span(t / float(part.spans) * float(kCurveReflections), kCurveReflections);
}

// y at the start of the step that contains a sample, and the angle left at the last anchor.
struct CarriedAxis {
  vec3 y;
  float remaining;
};

// Returns those of one of many samples of a bone.
PELT_SHARED_FN CarriedAxis carried_axis(PELT_SHARED_IN(CurveSpline) part, float t) {
  return CarriedAxis(part.carried[spline_node(part, t)], part.remaining);
}

// Returns the same without the array, for which an invocation has too few registers.
PELT_SHARED_FN CarriedAxis lone_carried_axis(PELT_SHARED_IN(CurveSpline) part, float t) {
  SplineWalk walk = spline_start(part);
  CarriedAxis carried = CarriedAxis(walk.y, 0.0f);
  if (part.endpoint) return carried;
  int node = spline_node(part, t);
  for (int step = 1; step <= kCurveReflections; ++step) {
    walk = spline_walk(part, walk, step);
    if (step == node) carried.y = walk.y;
  }
  carried.remaining = spline_remaining(part, walk.y);
  return carried;
}

// An inner anchor: its control points B-, B+, and their distances from it along the bones.
struct CurveCorner {
  vec3 before, point, after;
  float reach;
};

PELT_SHARED_FN CurveCorner curve_corner(PoseWork work, Chain chain, uint curve, uint i) {
  uint word = curve_anchor_word(work, curve, i);
  CurveCorner corner;
  AnchorPose pose = posed_anchor(work, chain, i).pose;
  corner.point = pose.position;
  vec3 way[2];  // to the neighbouring anchors
  way[0] = -posed_direction(work, chain, i - 1u, vec3(0.0f));
  way[1] = posed_direction(work, chain, i, vec3(0.0f));
  float bend = bend_between(-way[0], way[1]);
  float across = cos_of(0.5f * bend);
  corner.reach = floating_distance(work, word, 2.0f / max(across * across, 1e-6f), bend) * pose.scale;
  float arc = table_float(work, word);
  for (uint k = 0u; k < 2u; ++k) {
    float rest =
        k == 0u ? arc - table_float(work, word - kCurveAnchorWords) : table_float(work, word + kCurveAnchorWords) - arc;
    float most = table_float(work, word + kCurveAnchorMost) / rest;
    corner.reach = min(corner.reach, most * length(posed_position(work, chain, i + 2u * k - 1u) - corner.point));
  }
  // At a joint scaled to nothing, the control points must not coincide: the curve would lose its direction.
  float least = kLeastReach * table_float(work, word + kCurveAnchorDistance);
  corner.reach = max(corner.reach, least * (1.0f - shown_share(pose.scale, kHiddenScale)));
  for (uint k = 0u; k < 2u; ++k) {
    way[k] *= corner.reach;
    way[k] += posed_displacement(work, chain, i + k - 1u,
                                 table_vector(work, word + (k == 0u ? kCurveAnchorBefore : kCurveAnchorAfter)));
  }
  corner.before = corner.point + way[0];
  corner.after = corner.point + way[1];
  return corner;
}

// Returns z_i, the carried reference axis of anchor i.
PELT_SHARED_FN vec3 reference_axis(PoseWork work, Chain chain, uint curve, uint i) {
  vec4 motion = untwisted_anchor(work, chain, i);
  bool inner = i > 0u && i + 1u < chain.anchor_count && i != chain.top;
  if (inner && table_word(work, curve + kCurveReference) == kCurveReferenceHalfSwing) {
    vec4 before = untwisted_anchor(work, chain, upper_anchor(chain, i));
    motion = quaternion_product(before, half_turn(quaternion_product(quaternion_conjugate(before), motion)));
  }
  return quaternion_rotate(motion, table_vector(work, curve_anchor_word(work, curve, i) + kCurveAnchorReference));
}

PELT_SHARED_FN CurveSpline curve_spline(PoseWork work, Chain chain, uint curve, uint bone) {
  CurveSpline part;
  part.endpoint = table_word(work, curve + kCurveFrames) == kCurveFramesEndpoint;
  vec3 first = posed_position(work, chain, bone);
  part.along = posed_position(work, chain, bone + 1u) - first;
  float posed = length(part.along);
  uint word = curve_anchor_word(work, curve, bone);
  part.stretch = posed / (table_float(work, word + kCurveAnchorWords) - table_float(work, word));
  int count = 1;  // control points so far; number 0 is reserved for a phantom point
  for (uint e = 0u; e < 2u; ++e) {
    uint i = bone + e;
    float arc = e == 0u ? 0.0f : posed;
    if (i > 0u && i + 1u < chain.anchor_count) {
      CurveCorner corner = curve_corner(work, chain, curve, i);
      if (e == 0u) count = 0;
      part.control[count] = corner.before;
      part.control[count + 1] = corner.point;
      part.control[count + 2] = corner.after;
      part.arc[count] = arc - corner.reach;
      part.arc[count + 1] = arc;
      part.arc[count + 2] = arc + corner.reach;
      count += 3;
    } else {
      part.control[count] = e == 0u ? first : first + part.along;
      part.arc[count] = arc;
      count += 1;
    }
  }
  if (bone == 0u) {
    part.control[0] = part.control[1] * 2.0f - part.control[2];
    part.arc[0] = part.arc[1] * 2.0f - part.arc[2];
  }
  if (bone + 2u == chain.anchor_count) {
    part.control[count] = part.control[count - 1] * 2.0f - part.control[count - 2];
    part.arc[count] = part.arc[count - 1] * 2.0f - part.arc[count - 2];
    count += 1;
  }
  part.spans = count - 3;

  part.first.x = spline_tangent(part, 0, 0.0f);
  part.last.x = spline_tangent(part, part.spans - 1, 1.0f);
  part.first.y = frame_side(reference_axis(work, chain, curve, bone), part.first.x);
  part.last.y = frame_side(reference_axis(work, chain, curve, bone + 1u), part.last.x);
  part.remaining = 0.0f;
  if (part.endpoint) return part;
  part.carried[0] = part.first.y;
  SplineWalk walk = spline_start(part);
  for (int step = 1; step <= kCurveReflections; ++step) {
    walk = spline_walk(part, walk, step);
    part.carried[step] = walk.y;
  }
  part.remaining = spline_remaining(part, walk.y);
  return part;
}

// Returns t of a fraction of the bone, from its start. The arc length is monotone in t, so Newton's method runs within
// a shrinking bracket. The ends of the span are tested first, since the bracket would only halve towards them.
PELT_SHARED_FN float spline_parameter(PELT_SHARED_IN(CurveSpline) part, float lambda) {
  float s = lambda * length(part.along);
  int k = 0;
  while (k + 1 < part.spans && spline_arc(part, k, 1.0f) < s) ++k;
  float first = spline_arc(part, k, 0.0f);
  float last = spline_arc(part, k, 1.0f);
  if (first >= s) return float(k);
  if (last <= s) return float(k + 1);
  float low = 0.0f;
  float high = 1.0f;
  float straight = (s - first) / (last - first);
  float u = straight > 0.0f && straight < 1.0f ? straight : 0.5f;  // NaN if the lengths are 0
  for (int step = 0; step < 12; ++step) {
    float off = spline_arc(part, k, u) - s;
    if (off > 0.0f)
      high = u;
    else
      low = u;
    float slope = spline_arc_slope(part, k, u);
    float better = slope > 0.0f ? u - off / slope : low;
    if (slope > 0.0f && abs(better - u) < 2e-7f) break;
    u = better > low && better < high ? better : 0.5f * (low + high);
  }
  return float(k) + u;
}

// Returns the point and the slope at t.
PELT_SHARED_FN CurvePoint spline_place(PELT_SHARED_IN(CurveSpline) part, float t) {
  int k = spline_span(t, part.spans);
  float u = t - float(k);
  float slope = spline_arc_slope(part, k, u);
  // If control points coincide, as at a joint of scale 0, the curve has a direction but no velocity.
  vec3 along = slope > 1e-6f * length(part.along) ? spline_velocity(part, k, u) / slope : spline_tangent(part, k, u);
  return CurvePoint(spline_point(part, k, u), along * part.stretch);
}

// Returns x and y at lambda, for the spline parameter t.
PELT_SHARED_FN CurveAxes spline_axes(PELT_SHARED_IN(CurveSpline) part, float lambda, float t, CarriedAxis carried) {
  if (part.endpoint) {
    vec3 along = normalize_or(mix(part.first.x, part.last.x, lambda), normalize_or(part.along, part.first.x));
    return CurveAxes(along, direction_across(along, mix(part.first.y, part.last.y, lambda), frame_side(along, along)));
  }
  float from = float(spline_node(part, t)) / float(kCurveReflections) * float(part.spans);
  int from_k = spline_span(from, part.spans);
  int k = spline_span(t, part.spans);
  vec3 x = spline_tangent(part, k, t - float(k));
  vec3 y =
      double_reflection(carried.y, spline_point(part, from_k, from - float(from_k)),
                        spline_tangent(part, from_k, from - float(from_k)), spline_point(part, k, t - float(k)), x);
  y = direction_across(x, y, frame_side(x, x));
  return CurveAxes(x, turned_about(x, y, carried.remaining * lambda));
}

PELT_SHARED_END

#endif
