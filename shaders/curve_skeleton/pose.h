// SPDX-License-Identifier: MIT
// Curve skeleton (Yang, Somasekharan, Zhang 2006; math.md section 2): the palette entry of a curve sample is
// T = M^D (M^R)^-1, M the frame of the curve there, so that the blend's local point is the rest position.
//
// Curve. Anchors J_0 .. J_n, control points J_0, (B_i-, J_i, B_i+) for each inner anchor, J_n: a uniform cubic B-spline
// with phantom ends 2 P_0 - P_1, so that it reaches both ends and J_i is at t = 3i - 1. B_i-, B_i+ lie on the bones
// beside J_i, f_i from it; f_i follows from the bend theta_i, so that the radius of curvature at J_i,
// r = f cos^2(theta/2) / (2 sin(theta/2)), is no less than the skin's distance d_i as long as there is room:
//     f = clamp(margin 2 d sin(theta/2) / cos^2(theta/2), f_min, f_max),        or f keyed over theta.
// Parameter. A sample stays at a fixed rest length s along the bones; sum_j N_j(t) s_j = s gives its t in a pose, s_j
// the rest length of control point j. Frames at J_i: x = unit tangent, y = z_i x x, z = x x y, z_i the joint's
// reference axis, carried without twist and with half the swing. Between them (lambda: the fraction of the bone's rest
// length)
//     endpoint   x, y interpolated linearly, orthonormalised, x first                                 (equation 2)
//     tangent    x = unit tangent, y by double reflection from J_i, what is left to J_i+1 spread linearly in lambda
// then turned about x by Theta_i + (Theta_i+1 - Theta_i) dist(lambda) (shaders/chain.h). A joint may leave part of its
// twist to the bone that leaves it: Theta_i less after_i theta_i at J_i.
// Centre: (1 - centre) * curve point + centre * point of the bone.
//
// Automatic frames. `tangent` folds a thick limb on the inside of a bend, `endpoint` leans a thin one over its whole
// length, and both lose volume, since at J_i the curve goes by cos(theta/2) for each step along the bones, whatever f
// is. Here the frames keep the skin from folding, f only rounds the corner, and the curve keeps its speed (h = theta/2,
// l: length of the bone, b: its direction, q: way along it from J_j, sums over the two joints of a bone that bend):
//     f = clamp(margin 2.5 d sin h, f_min, f_max)
//     C* = C + sum_j g(|q|/min(l, 6 d_j)) (0.25 (1 - cos h_j) q X_j - 0.5 cut_j),       g(a) = (1 - a^3)^3
//     x = normalize(b + sum_j k_j (X_j - b)),                      k_j = ramp(1 - |q|/min(l, 4 max(d_j, l/16)))
// X_j: unit tangent of C at J_j; cut_j: from J_j to C there. The middle term of C* gives the curve part of its speed
// back, the last part of the way by which it cuts the corner; g is flat at both its ends. x turns at an even rate
// within four skin distances of a joint: slower than C* passes the inside of the skin, so that nothing folds. y is
// carried by the least turn. Constants by measure, on limbs a quarter to three quarters of a bone thick
// (docs/curve_skeleton.md).
//
// Bulge. A slice has the volume of its section times the way that its plane moves along x, v = dC*/ds . x (1 at rest
// where the joints are straight). Its section is widened by a(1/v)^volume, half of that in every direction and half
// across the plane of the bend alone, where flesh has room; a(u) = 1 + tanh(u - 1) stays below 2.
#ifndef PELT_SHADERS_CURVE_SKELETON_POSE_H
#define PELT_SHADERS_CURVE_SKELETON_POSE_H

#include "../chain.h"
#include "../frame.h"
#include "../pose_pass.h"
#include "../spline.h"
#include "../table.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kCurveFramesAuto = 0u;
PELT_SHARED_CONST uint kCurveFramesTangent = 1u;
PELT_SHARED_CONST uint kCurveFramesEndpoint = 2u;

PELT_SHARED_CONST uint kCurveReferenceHalfSwing = 0u;
PELT_SHARED_CONST uint kCurveReferenceJoint = 1u;

// In the table, beside what chain.h says:
//   curve         chain (3 words), frames, reference, centre, first curve anchor (word)
//   curve anchor  s, reference axis at rest x, y, z, d, f_min, f_max, margin, first key (word), keys (0: the formula),
//                 displacement of B-, of B+ at rest, volume, across, along, after
//   key           theta, f
//   sample        lambda, dist(lambda), reach of the first anchor's bulge, of the last one's, twist, width y, width z
//                 (beside what the pose gives), (M^R)^-1 row by row
PELT_SHARED_CONST uint kCurveFrames = 3u;
PELT_SHARED_CONST uint kCurveReference = 4u;
PELT_SHARED_CONST uint kCurveCentre = 5u;
PELT_SHARED_CONST uint kCurveFirstAnchor = 6u;
PELT_SHARED_CONST uint kCurveWords = 7u;
PELT_SHARED_CONST uint kCurveAnchorLength = 0u;
PELT_SHARED_CONST uint kCurveAnchorReference = 1u;
PELT_SHARED_CONST uint kCurveAnchorDistance = 4u;
PELT_SHARED_CONST uint kCurveAnchorLeast = 5u;
PELT_SHARED_CONST uint kCurveAnchorMost = 6u;
PELT_SHARED_CONST uint kCurveAnchorMargin = 7u;
PELT_SHARED_CONST uint kCurveAnchorKeys = 8u;
PELT_SHARED_CONST uint kCurveAnchorBefore = 10u;
PELT_SHARED_CONST uint kCurveAnchorAfter = 13u;
PELT_SHARED_CONST uint kCurveAnchorBulge = 16u;
PELT_SHARED_CONST uint kCurveAnchorTwistAfter = 19u;
PELT_SHARED_CONST uint kCurveAnchorWords = 20u;
PELT_SHARED_CONST uint kCurveSampleShape = 1u;
PELT_SHARED_CONST uint kCurveSampleInverse = 7u;
PELT_SHARED_CONST uint kCurveSampleWords = 19u;

PELT_SHARED_CONST uint kCurveSlots = 8u;  // palette entries a record: neighbouring samples of one bone
PELT_SHARED_CONST uint kMostFloatKeys = 64u;
PELT_SHARED_CONST int kCurveReflections = 12;  // steps in which y is carried along a bone

PELT_SHARED_CONST float kCurveRounding = 2.5f;       // automatic f, in skin distances
PELT_SHARED_CONST float kCurveSpeed = 0.25f;         // part of the speed that a bend takes which the curve gets back
PELT_SHARED_CONST float kCurveUncut = 0.5f;          // part of the cut corner
PELT_SHARED_CONST float kCurveWindow = 6.0f;         // skin distances within which it gets them
PELT_SHARED_CONST float kCurveTurning = 4.0f;        // skin distances within which automatic frames turn
PELT_SHARED_CONST float kCurveTurningEase = 0.2f;    // part of that in which they begin to
PELT_SHARED_CONST float kCurveAcross = 0.5f;         // part of the bulge that goes across the plane of the bend
PELT_SHARED_CONST float kCurveMostThinning = 0.03f;  // where a slice is longer than at rest

struct CurveRecord {
  uint curve;         // word
  uint bone;          // from anchor `bone` to the next
  uint first_sample;  // word; kCurveSlots samples
};
PELT_SHARED_SIZE(CurveRecord, 12);

// An anchor at an end of a bone.
struct CurveEnd {
  vec3 point;
  float arc;    // s
  vec3 x, y;    // the frame there, without twist
  float twist;  // Theta
  float scale;
  float distance;  // d
  float bend;      // 1 - cos theta; 0 at the ends of the curve
  float speed;     // what C* gets back
  vec3 uncut;
  vec3 inside;  // towards the inside of the bend, 2 sin(theta/2) long
  vec3 bulge;   // volume, across, along
};

// A bone's part of a posed curve: what its samples share.
struct CurvePart {
  vec3 control[6];  // with phantom points at the ends of the curve
  float arc[6];     // rest length of each
  int spans;        // 1 to 3; span k is of control[k] .. control[k + 3]
  CurveEnd first, last;
  vec3 carried[kCurveReflections + 1];  // y from the first anchor, in equal steps of t or (automatic) lambda
  float remaining;                      // angle left at the last anchor
  uint frames;
  float centre;
};

PELT_SHARED_FN float dot4(vec4 weights, float a, float b, float c, float d) {
  return weights.x * a + weights.y * b + weights.z * c + weights.w * d;
}

PELT_SHARED_FN vec3 mix4(vec4 weights, vec3 a, vec3 b, vec3 c, vec3 d) {
  return a * weights.x + b * weights.y + c * weights.z + d * weights.w;
}

// Of span k at u.
PELT_SHARED_FN vec3 curve_point(PELT_SHARED_IN(CurvePart) part, int k, float u) {
  return mix4(spline_basis(u), part.control[k], part.control[k + 1], part.control[k + 2], part.control[k + 3]);
}
PELT_SHARED_FN vec3 curve_slope(PELT_SHARED_IN(CurvePart) part, int k, float u) {
  return mix4(spline_slope(u), part.control[k], part.control[k + 1], part.control[k + 2], part.control[k + 3]);
}
PELT_SHARED_FN float curve_arc(PELT_SHARED_IN(CurvePart) part, int k, float u) {
  return dot4(spline_basis(u), part.arc[k], part.arc[k + 1], part.arc[k + 2], part.arc[k + 3]);
}
PELT_SHARED_FN float curve_arc_slope(PELT_SHARED_IN(CurvePart) part, int k, float u) {
  return dot4(spline_slope(u), part.arc[k], part.arc[k + 1], part.arc[k + 2], part.arc[k + 3]);
}

PELT_SHARED_FN vec3 curve_tangent(PELT_SHARED_IN(CurvePart) part, int k, float u) {
  return normalize_or(curve_slope(part, k, u), normalize_or(part.last.point - part.first.point, vec3(1, 0, 0)));
}

PELT_SHARED_FN uint curve_anchor_word(uint first, uint i) { return first + i * kCurveAnchorWords; }

// f of an inner anchor that bends by theta, from its words.
PELT_SHARED_FN float floating_distance(PoseWork work, uint word, uint frames, float bend) {
  uint key = table_word(work, word + kCurveAnchorKeys);
  uint count = table_word(work, word + kCurveAnchorKeys + 1u);
  if (count == 0u) {
    float across = cos(0.5f * bend);
    float rounding = frames == kCurveFramesAuto ? kCurveRounding : 2.0f / max(across * across, 1e-6f);
    float wanted = table_float(work, word + kCurveAnchorMargin) * rounding *
                   table_float(work, word + kCurveAnchorDistance) * sin(0.5f * bend);
    return clamp(wanted, table_float(work, word + kCurveAnchorLeast), table_float(work, word + kCurveAnchorMost));
  }
  float result = table_float(work, key + 1u);
  for (uint k = 1u; k < count; ++k) {
    float from = table_float(work, key + 2u * k - 2u);
    float to = table_float(work, key + 2u * k);
    if (bend > from) {
      float part = min((bend - from) / (to - from), 1.0f);
      result = mix(table_float(work, key + 2u * k - 1u), table_float(work, key + 2u * k + 1u), part);
    }
  }
  return result;
}

// An inner anchor: its control points B-, B+, how far they are from it along the bones, its bend.
struct CurveCorner {
  vec3 before, point, after;
  float reach;
  float bend;   // theta
  vec3 cut;     // from the anchor to the curve there, but for displacements
  vec3 inside;  // towards the inside of the bend, 2 sin(theta/2) long
};

PELT_SHARED_FN CurveCorner curve_corner(PoseWork work, Chain chain, uint word, uint frames, uint i) {
  vec3 at[3];
  for (uint k = 0u; k < 3u; ++k) at[k] = anchor_position(work, chain, i + k - 1u);
  CurveCorner corner;
  corner.point = at[1];
  float arc = table_float(work, word + kCurveAnchorLength);
  vec3 coming = normalize_or(at[1] - at[0], vec3(1, 0, 0));
  vec3 going = normalize_or(at[2] - at[1], coming);
  corner.bend = atan(length(cross(coming, going)), dot(coming, going));
  corner.inside = going - coming;
  corner.reach = floating_distance(work, word, frames, corner.bend);
  vec3 way[2];  // to B-, B+
  float before = arc - table_float(work, word - kCurveAnchorWords + kCurveAnchorLength);
  float after = table_float(work, word + kCurveAnchorWords + kCurveAnchorLength) - arc;
  way[0] = (at[0] - at[1]) * (corner.reach / before);
  way[1] = (at[2] - at[1]) * (corner.reach / after);
  corner.cut = (way[0] + way[1]) * (1.0f / 6.0f);
  for (uint k = 0u; k < 2u; ++k) {
    vec3 displacement = table_vector(work, word + (k == 0u ? kCurveAnchorBefore : kCurveAnchorAfter));
    if (dot(displacement, displacement) == 0.0f) continue;
    uint bone = i + k - 1u;  // what is fixed to it moves with its upper end
    uint upper = bone < chain.top ? bone + 1u : bone;
    way[k] += quaternion_rotate(anchor_motion(work, chain, upper), displacement) * anchor_scale(work, chain, upper);
  }
  corner.before = at[1] + way[0];
  corner.after = at[1] + way[1];
  return corner;
}

// z_i: the reference axis of anchor i, carried. Of `stretch` the anchor is end k.
PELT_SHARED_FN vec3 reference_axis(PoseWork work, Chain chain, uint curve, uint i, PELT_SHARED_IN(ChainStretch) stretch,
                                   uint k) {
  uint word = curve_anchor_word(table_word(work, curve + kCurveFirstAnchor), i);
  vec4 motion = untwisted_motion(work, chain, i, stretch.motion[k], stretch.twist[k]);
  bool inner = i > 0u && i + 1u < chain.anchor_count && i != chain.top;
  if (inner && table_word(work, curve + kCurveReference) == kCurveReferenceHalfSwing) {
    vec4 before = untwisted_motion(work, chain, upper_anchor(chain, i), stretch.motion[k + 1u], stretch.twist[k + 1u]);
    motion = quaternion_product(before, half_turn(quaternion_product(quaternion_conjugate(before), motion)));
  }
  return quaternion_rotate(motion, table_vector(work, word + kCurveAnchorReference));
}

PELT_SHARED_FN vec3 frame_side(vec3 reference, vec3 x) {
  vec3 other = abs(x.x) < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0);
  return normalize_or(cross(reference, x), normalize(cross(x, other)));
}

// 1 at a = 0, 0 from 1 on, flat there; and its slope.
PELT_SHARED_FN float smooth_window(float a) {
  float left = 1.0f - a * a * a;
  return a < 1.0f ? left * left * left : 0.0f;
}
PELT_SHARED_FN float smooth_window_slope(float a) {
  float left = 1.0f - a * a * a;
  return a < 1.0f ? -9.0f * a * a * left * left : 0.0f;
}

// A point of the curve, and its slope by the rest length.
struct CurvePoint {
  vec3 point, slope;
};

// What C* has beside C near an anchor, `way` along the bone from it.
PELT_SHARED_FN CurvePoint curve_correction(float way, float window, float speed, vec3 x, vec3 uncut) {
  float a = abs(way) / window;
  float g = smooth_window(a);
  float slope = smooth_window_slope(a) / window * (way < 0.0f ? -1.0f : 1.0f);
  return CurvePoint(x * (speed * way * g) - uncut * g, x * (speed * (g + way * slope)) - uncut * slope);
}

PELT_SHARED_FN CurvePoint curve_point_at(PELT_SHARED_IN(CurvePart) part, int k, float u) {
  float arc = curve_arc(part, k, u);
  CurvePoint result =
      CurvePoint(curve_point(part, k, u), curve_slope(part, k, u) / max(curve_arc_slope(part, k, u), 1e-12f));
  if (part.frames != kCurveFramesAuto) return result;
  float bone = part.last.arc - part.first.arc;
  if (part.first.bend > 0.0f) {
    CurvePoint more =
        curve_correction(arc - part.first.arc, clamp(kCurveWindow * part.first.distance, 1e-3f * bone, bone),
                         part.first.speed, part.first.x, part.first.uncut);
    result = CurvePoint(result.point + more.point, result.slope + more.slope);
  }
  if (part.last.bend > 0.0f) {
    CurvePoint more =
        curve_correction(arc - part.last.arc, clamp(kCurveWindow * part.last.distance, 1e-3f * bone, bone),
                         part.last.speed, part.last.x, part.last.uncut);
    result = CurvePoint(result.point + more.point, result.slope + more.slope);
  }
  return result;
}

// k_j, `way` from an anchor with the skin distance d.
PELT_SHARED_FN float curve_ramp(float way, float distance, float bone) {
  float u = max(1.0f - way / min(bone, kCurveTurning * max(distance, bone * (1.0f / 16.0f))), 0.0f);
  const float ease = kCurveTurningEase;
  return (u < ease ? u * u / (2.0f * ease) : u - 0.5f * ease) / (1.0f - 0.5f * ease);
}

// x of automatic frames.
PELT_SHARED_FN vec3 automatic_axis(PELT_SHARED_IN(CurvePart) part, float lambda) {
  float bone = part.last.arc - part.first.arc;
  vec3 along = normalize_or(part.last.point - part.first.point, part.first.x);
  vec3 x = along + (part.first.x - along) * curve_ramp(lambda * bone, part.first.distance, bone) +
           (part.last.x - along) * curve_ramp((1.0f - lambda) * bone, part.last.distance, bone);
  return normalize_or(x, along);
}

PELT_SHARED_FN CurvePart curve_part(CurveRecord record, PoseWork work) {
  Chain chain = read_chain(work, record.curve);
  uint first_anchor = table_word(work, record.curve + kCurveFirstAnchor);
  CurvePart part;
  part.frames = table_word(work, record.curve + kCurveFrames);
  part.centre = table_float(work, record.curve + kCurveCentre);

  // Before the twist and the frames: these need the control points of both ends.
  CurveEnd ends[2];
  int count = 1;  // control points so far, the phantom before the first among them
  for (uint e = 0u; e < 2u; ++e) {
    uint i = record.bone + e;
    uint word = curve_anchor_word(first_anchor, i);
    ends[e].arc = table_float(work, word + kCurveAnchorLength);
    ends[e].bulge = table_vector(work, word + kCurveAnchorBulge);
    ends[e].scale = anchor_scale(work, chain, i);
    ends[e].distance = table_float(work, word + kCurveAnchorDistance);
    if (i > 0u && i + 1u < chain.anchor_count) {
      CurveCorner corner = curve_corner(work, chain, word, part.frames, i);
      if (e == 0u) count = 0;
      part.control[count] = corner.before;
      part.control[count + 1] = corner.point;
      part.control[count + 2] = corner.after;
      part.arc[count] = ends[e].arc - corner.reach;
      part.arc[count + 1] = ends[e].arc;
      part.arc[count + 2] = ends[e].arc + corner.reach;
      count += 3;
      ends[e].point = corner.point;
      ends[e].bend = 1.0f - cos(corner.bend);
      ends[e].speed = kCurveSpeed * (1.0f - cos(0.5f * corner.bend)) * ends[e].scale;
      ends[e].uncut = corner.cut * kCurveUncut;
      ends[e].inside = corner.inside;
    } else {
      ends[e].point = anchor_position(work, chain, i);
      ends[e].bend = 0.0f;
      ends[e].speed = 0.0f;
      ends[e].uncut = vec3(0.0f);
      ends[e].inside = vec3(0.0f);
      part.control[count] = ends[e].point;
      part.arc[count] = ends[e].arc;
      count += 1;
    }
  }
  if (record.bone == 0u) {
    part.control[0] = part.control[1] * 2.0f - part.control[2];
    part.arc[0] = part.arc[1] * 2.0f - part.arc[2];
  }
  if (record.bone + 2u == chain.anchor_count) {
    part.control[count] = part.control[count - 1] * 2.0f - part.control[count - 2];
    part.arc[count] = part.arc[count - 1] * 2.0f - part.arc[count - 2];
    count += 1;
  }
  part.spans = count - 3;
  part.first = ends[0];
  part.last = ends[1];

  bool away = record.bone >= chain.top;  // the bone leads away from the top
  ChainStretch stretch = chain_stretch(work, chain, record.bone + (away ? 1u : 0u));
  for (uint e = 0u; e < 2u; ++e) {
    uint i = record.bone + e;
    uint k = away ? 1u - e : e;
    float left = table_float(work, curve_anchor_word(first_anchor, i) + kCurveAnchorTwistAfter);
    ends[e].twist = along_chain(chain, i, stretch.twist[k] - left * stretch.own[k]);
    ends[e].x = curve_tangent(part, e == 0u ? 0 : part.spans - 1, float(e));
    ends[e].y = frame_side(reference_axis(work, chain, record.curve, i, stretch, k), ends[e].x);
  }
  part.first = ends[0];
  part.last = ends[1];

  part.remaining = 0.0f;
  if (part.frames != kCurveFramesEndpoint) {
    bool automatic = part.frames == kCurveFramesAuto;
    part.carried[0] = part.first.y;
    vec3 point = part.first.point;
    vec3 x = automatic ? automatic_axis(part, 0.0f) : part.first.x;
    for (int step = 1; step <= kCurveReflections; ++step) {
      float at = float(step) / float(kCurveReflections);
      float t = at * float(part.spans);
      int k = spline_span(t, part.spans);
      vec3 next_point = automatic ? point : curve_point(part, k, t - float(k));
      vec3 next_x = automatic ? automatic_axis(part, at) : curve_tangent(part, k, t - float(k));
      part.carried[step] = automatic ? least_turn(part.carried[step - 1], x, next_x)
                                     : double_reflection(part.carried[step - 1], point, x, next_point, next_x);
      point = next_point;
      x = next_x;
    }
    vec3 arrived = part.carried[kCurveReflections];
    float side = dot(cross(arrived, part.last.y), part.last.x);
    float same = dot(arrived, part.last.y);
    part.remaining = abs(side) + abs(same) > 0.0f ? atan(side, same) : 0.0f;
  }
  return part;
}

// t of the rest length s, from the start of the part: monotone, so Newton's method within a bracket that shrinks. It
// would halve the way to an end of the span step by step, so that is looked at first.
PELT_SHARED_FN float curve_parameter(PELT_SHARED_IN(CurvePart) part, float s) {
  int k = 0;
  while (k + 1 < part.spans && curve_arc(part, k, 1.0f) < s) ++k;
  float first = curve_arc(part, k, 0.0f);
  float last = curve_arc(part, k, 1.0f);
  if (first >= s) return float(k);
  if (last <= s) return float(k + 1);
  float low = 0.0f;
  float high = 1.0f;
  float straight = (s - first) / (last - first);
  float u = straight > 0.0f && straight < 1.0f ? straight : 0.5f;  // it is no number where the lengths are none
  for (int step = 0; step < 12; ++step) {
    float off = curve_arc(part, k, u) - s;
    if (off > 0.0f)
      high = u;
    else
      low = u;
    float slope = curve_arc_slope(part, k, u);
    float better = slope > 0.0f ? u - off / slope : low;
    if (slope > 0.0f && abs(better - u) < 2e-7f) break;
    u = better > low && better < high ? better : 0.5f * (low + high);
  }
  return float(k) + u;
}

// How a sample differs from others of its place.
struct CurveShape {
  float twist_share;              // dist(lambda)
  float first_reach, last_reach;  // of the anchors' bulges
  float twist;
  float width_y, width_z;
};

// x and y of the frame at lambda, where the curve is at t, before it twists.
struct CurveAxes {
  vec3 x, y;
};

PELT_SHARED_FN CurveAxes curve_axes(PELT_SHARED_IN(CurvePart) part, float lambda, float t) {
  if (part.frames == kCurveFramesEndpoint) {
    vec3 along = normalize_or(part.last.point - part.first.point, part.first.x);
    return CurveAxes(normalize_or(mix(part.first.x, part.last.x, lambda), along),
                     mix(part.first.y, part.last.y, lambda));
  }
  float at = (part.frames == kCurveFramesAuto ? lambda : t / float(part.spans)) * float(kCurveReflections);
  int node = spline_span(at, kCurveReflections);
  float from = float(node) / float(kCurveReflections);
  vec3 x, y;
  if (part.frames == kCurveFramesAuto) {
    x = automatic_axis(part, lambda);
    y = least_turn(part.carried[node], automatic_axis(part, from), x);
  } else {
    int k = spline_span(t, part.spans);
    float from_t = from * float(part.spans);
    int from_k = spline_span(from_t, part.spans);
    x = curve_tangent(part, k, t - float(k));
    y = double_reflection(part.carried[node], curve_point(part, from_k, from_t - float(from_k)),
                          curve_tangent(part, from_k, from_t - float(from_k)), curve_point(part, k, t - float(k)), x);
  }
  return CurveAxes(x, turned_about(x, y, part.remaining * lambda));
}

// The section's widening: along the direction `inside`, which is in the section, and across it.
struct CurveBulge {
  vec3 inside;
  float along, across;
};

// `pace`: v.
PELT_SHARED_FN CurveBulge curve_bulge(PELT_SHARED_IN(CurvePart) part, float lambda, CurveShape shape, vec3 x,
                                      float pace) {
  float bone = part.last.arc - part.first.arc;
  float first = curve_ramp(lambda * bone, part.first.distance, bone);
  float last = curve_ramp((1.0f - lambda) * bone, part.last.distance, bone);
  vec3 inside = part.first.inside * first + part.last.inside * last;
  inside = inside - x * dot(x, inside);
  float size = length(inside);

  float u = 1.0f / max(pace, 0.05f) - 1.0f;
  float whole = 1.0f + (u > 0.0f ? tanh(u) : kCurveMostThinning * tanh(u / kCurveMostThinning));
  whole = pow(whole, mix(part.first.bulge.x, part.last.bulge.x, lambda));
  CurveBulge bulge;
  bulge.inside = size > 1e-6f ? inside / size : vec3(0.0f);
  bulge.along = pow(whole, 0.5f - 0.5f * kCurveAcross * smoothstep(0.0f, 0.3f, size));
  bulge.across = whole / bulge.along;
  float first_fat = first * part.first.bend * shape.first_reach;
  float last_fat = last * part.last.bend * shape.last_reach;
  bulge.across *= 1.0f + part.first.bulge.y * first_fat + part.last.bulge.y * last_fat;
  bulge.along *= 1.0f + part.first.bulge.z * first_fat + part.last.bulge.z * last_fat;
  return bulge;
}

PELT_SHARED_FN vec3 bulged(CurveBulge bulge, vec3 axis) {
  vec3 along = bulge.inside * dot(bulge.inside, axis);
  return along * bulge.along + (axis - along) * bulge.across;
}

// M at lambda.
PELT_SHARED_FN Affine curve_frame(PELT_SHARED_IN(CurvePart) part, float lambda, CurveShape shape) {
  float t = curve_parameter(part, mix(part.first.arc, part.last.arc, lambda));
  int k = spline_span(t, part.spans);
  CurvePoint place = curve_point_at(part, k, t - float(k));
  CurveAxes axes = curve_axes(part, lambda, t);
  vec3 y = direction_across(axes.x, axes.y, frame_side(axes.x, axes.x));
  y = turned_about(axes.x, y, mix(part.first.twist, part.last.twist, shape.twist_share) + shape.twist);
  vec3 z = cross(axes.x, y);

  float scale = mix(part.first.scale, part.last.scale, lambda);
  float pace = dot(place.slope, axes.x) / max(scale, 1e-20f);
  CurveBulge bulge = curve_bulge(part, lambda, shape, axes.x, pace);
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

// The palette entry of sample k of the record.
PELT_SHARED_FN Affine pose_curve_sample(CurveRecord record, PELT_SHARED_IN(CurvePart) part, PoseWork work, uint k) {
  uint word = record.first_sample + k * kCurveSampleWords;
  return affine_compose(curve_frame(part, table_float(work, word), curve_shape(work, word)),
                        table_affine(work, word + kCurveSampleInverse));
}

PELT_SHARED_END

#endif
