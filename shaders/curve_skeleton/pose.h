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
// then turned about x by Theta_i + (Theta_i+1 - Theta_i) dist(lambda) (shaders/chain.h).
// Centre: (1 - centre) * curve point + centre * point of the bone.
#ifndef PELT_SHADERS_CURVE_SKELETON_POSE_H
#define PELT_SHADERS_CURVE_SKELETON_POSE_H

#include "../chain.h"
#include "../frame.h"
#include "../pose_pass.h"
#include "../spline.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kCurveFramesAuto = 0u;
PELT_SHARED_CONST uint kCurveFramesTangent = 1u;
PELT_SHARED_CONST uint kCurveFramesEndpoint = 2u;

PELT_SHARED_CONST uint kCurveReferenceHalfSwing = 0u;
PELT_SHARED_CONST uint kCurveReferenceJoint = 1u;

// In the table, beside what chain.h says:
//   curve         chain (3 words), frames, reference, centre, first curve anchor (word)
//   curve anchor  s, reference axis at rest x, y, z, d, f_min, f_max, margin, first key (word), keys (0: the formula),
//                 displacement of B-, of B+ at rest, volume, across, along
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
PELT_SHARED_CONST uint kCurveAnchorWords = 19u;
PELT_SHARED_CONST uint kCurveSampleShape = 1u;
PELT_SHARED_CONST uint kCurveSampleInverse = 7u;
PELT_SHARED_CONST uint kCurveSampleWords = 19u;

PELT_SHARED_CONST uint kCurveSlots = 8u;  // palette entries a record: neighbouring samples of one bone
PELT_SHARED_CONST uint kMostFloatKeys = 64u;
PELT_SHARED_CONST int kCurveReflections = 12;  // steps of the double reflection along a bone

struct CurveRecord {
  uint curve;         // word
  uint bone;          // from anchor `bone` to the next
  uint first_sample;  // word; kCurveSlots samples
};
PELT_SHARED_SIZE(CurveRecord, 12);

// A bone's part of a posed curve: what its samples share.
struct CurvePart {
  vec3 control[6];   // with phantom points at the ends of the curve
  float arc[6];      // rest length of each
  int spans;         // 1 to 3; span k is of control[k] .. control[k + 3]
  vec3 first, last;  // the anchors
  float first_arc, last_arc;
  vec3 first_x, first_y, last_x, last_y;  // the frames there, without twist
  float first_twist, last_twist;
  float first_scale, last_scale;
  float first_bend, last_bend;            // theta; 0 at the ends of the curve
  float first_fold, last_fold;            // auto: how much of `endpoint` goes in
  vec3 first_inside, last_inside;         // unit, towards the inside of the bend; any direction where there is none
  vec3 first_bulge, last_bulge;           // volume, across, along
  vec3 reflected[kCurveReflections + 1];  // y by double reflection
  float remaining;                        // angle left at the last anchor
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
  return normalize_or(curve_slope(part, k, u), normalize_or(part.last - part.first, vec3(1, 0, 0)));
}

PELT_SHARED_FN uint curve_anchor_word(uint first, uint i) { return first + i * kCurveAnchorWords; }

// f of an inner anchor that bends by theta, from its words.
PELT_SHARED_FN float floating_distance(PoseWork work, uint word, float bend) {
  uint key = table_word(work, word + kCurveAnchorKeys);
  uint count = table_word(work, word + kCurveAnchorKeys + 1u);
  if (count == 0u) {
    float across = cos(0.5f * bend);
    float wanted = table_float(work, word + kCurveAnchorMargin) * 2.0f *
                   table_float(work, word + kCurveAnchorDistance) * sin(0.5f * bend) / max(across * across, 1e-6f);
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

// The motion of what is fixed to the bone from anchor k to the next: that of its upper end.
PELT_SHARED_FN vec3 moved_with_bone(PoseWork work, Chain chain, uint k, vec3 displacement) {
  if (dot(displacement, displacement) == 0.0f) return displacement;
  uint upper = k < chain.top ? k + 1u : k;
  return quaternion_rotate(anchor_motion(work, chain, upper), displacement) * anchor_scale(work, chain, upper);
}

// An inner anchor: its three control points, where they are along the bones, its bend.
struct CurveCorner {
  vec3 before, point, after;
  float arc, reach;
  float bend;
  vec3 inside;
};

PELT_SHARED_FN CurveCorner curve_corner(PoseWork work, Chain chain, uint first_anchor, uint i) {
  uint word = curve_anchor_word(first_anchor, i);
  vec3 from = anchor_position(work, chain, i - 1u);
  vec3 to = anchor_position(work, chain, i + 1u);
  CurveCorner corner;
  corner.point = anchor_position(work, chain, i);
  corner.arc = table_float(work, word + kCurveAnchorLength);
  vec3 coming = normalize_or(corner.point - from, vec3(0.0f));
  vec3 going = normalize_or(to - corner.point, coming);
  corner.bend = atan(length(cross(coming, going)), dot(coming, going));
  corner.inside = normalize_or(going - coming, vec3(0.0f));
  corner.reach = floating_distance(work, word, corner.bend);
  float before = corner.arc - table_float(work, word - kCurveAnchorWords + kCurveAnchorLength);
  float after = table_float(work, word + kCurveAnchorWords + kCurveAnchorLength) - corner.arc;
  corner.before = corner.point + (from - corner.point) * (corner.reach / before) +
                  moved_with_bone(work, chain, i - 1u, table_vector(work, word + kCurveAnchorBefore));
  corner.after = corner.point + (to - corner.point) * (corner.reach / after) +
                 moved_with_bone(work, chain, i, table_vector(work, word + kCurveAnchorAfter));
  return corner;
}

// z_i: the reference axis of anchor i, carried.
PELT_SHARED_FN vec3 reference_axis(PoseWork work, Chain chain, uint curve, uint i, float twist) {
  uint word = curve_anchor_word(table_word(work, curve + kCurveFirstAnchor), i);
  vec4 motion = untwisted_motion(work, chain, i, twist);
  bool inner = i > 0u && i + 1u < chain.anchor_count && i != chain.top;
  if (inner && table_word(work, curve + kCurveReference) == kCurveReferenceHalfSwing) {
    uint upper = i > chain.top ? i - 1u : i + 1u;
    float upper_twist = twist - anchor_twist(work, chain, upper, i);
    vec4 before = untwisted_motion(work, chain, upper, upper_twist);
    motion = quaternion_product(before, half_turn(quaternion_product(quaternion_conjugate(before), motion)));
  }
  return quaternion_rotate(motion, table_vector(work, word + kCurveAnchorReference));
}

PELT_SHARED_FN vec3 frame_side(vec3 reference, vec3 x) {
  vec3 other = abs(x.x) < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0);
  return normalize_or(cross(reference, x), normalize(cross(x, other)));
}

// How much of `endpoint` goes into an automatic frame: all where the skin would fold on the inside of the bend, r < d.
PELT_SHARED_FN float fold_share(PoseWork work, uint word, CurveCorner corner) {
  float across = cos(0.5f * corner.bend);
  float radius = corner.reach * across * across;
  float needed = table_float(work, word + kCurveAnchorDistance) * 2.0f * sin(0.5f * corner.bend);
  return 1.0f - smoothstep(needed, 1.25f * needed + 1e-20f, radius);
}

PELT_SHARED_FN CurvePart curve_part(CurveRecord record, PoseWork work) {
  Chain chain = read_chain(work, record.curve);
  uint first_anchor = table_word(work, record.curve + kCurveFirstAnchor);
  uint i = record.bone;
  uint first_word = curve_anchor_word(first_anchor, i);
  uint last_word = first_word + kCurveAnchorWords;
  CurvePart part;
  part.frames = table_word(work, record.curve + kCurveFrames);
  part.centre = table_float(work, record.curve + kCurveCentre);
  part.first_arc = table_float(work, first_word + kCurveAnchorLength);
  part.last_arc = table_float(work, last_word + kCurveAnchorLength);
  part.first_bulge = table_vector(work, first_word + kCurveAnchorBulge);
  part.last_bulge = table_vector(work, last_word + kCurveAnchorBulge);
  part.first_scale = anchor_scale(work, chain, i);
  part.last_scale = anchor_scale(work, chain, i + 1u);
  part.first_bend = 0.0f;
  part.last_bend = 0.0f;
  part.first_fold = 0.0f;
  part.last_fold = 0.0f;
  part.first_inside = vec3(0.0f);
  part.last_inside = vec3(0.0f);

  int count = 2;
  if (i > 0u) {
    CurveCorner corner = curve_corner(work, chain, first_anchor, i);
    part.control[0] = corner.before;
    part.control[1] = corner.point;
    part.control[2] = corner.after;
    part.arc[0] = corner.arc - corner.reach;
    part.arc[1] = corner.arc;
    part.arc[2] = corner.arc + corner.reach;
    part.first = corner.point;
    part.first_bend = corner.bend;
    part.first_inside = corner.inside;
    part.first_fold = fold_share(work, first_word, corner);
    count = 3;
  } else {
    part.first = anchor_position(work, chain, 0u);
    part.control[1] = part.first;
    part.arc[1] = part.first_arc;
  }
  if (i + 2u < chain.anchor_count) {
    CurveCorner corner = curve_corner(work, chain, first_anchor, i + 1u);
    part.control[count] = corner.before;
    part.control[count + 1] = corner.point;
    part.control[count + 2] = corner.after;
    part.arc[count] = corner.arc - corner.reach;
    part.arc[count + 1] = corner.arc;
    part.arc[count + 2] = corner.arc + corner.reach;
    part.last = corner.point;
    part.last_bend = corner.bend;
    part.last_inside = corner.inside;
    part.last_fold = fold_share(work, last_word, corner);
    count += 3;
  } else {
    part.last = anchor_position(work, chain, i + 1u);
    part.control[count] = part.last;
    part.arc[count] = part.last_arc;
    part.control[count + 1] = part.last * 2.0f - part.control[count - 1];
    part.arc[count + 1] = part.last_arc * 2.0f - part.arc[count - 1];
    count += 2;
  }
  if (i == 0u) {
    part.control[0] = part.first * 2.0f - part.control[2];
    part.arc[0] = part.first_arc * 2.0f - part.arc[2];
  }
  part.spans = count - 3;

  uint next = i + 1u;
  float first_twist = 0.0f;
  float last_twist = 0.0f;
  if (i >= chain.top) {
    first_twist = accumulated_twist(work, chain, i);
    last_twist = first_twist + anchor_twist(work, chain, i, next);
  } else {
    last_twist = accumulated_twist(work, chain, next);
    first_twist = last_twist + anchor_twist(work, chain, next, i);
  }
  part.first_twist = along_chain(chain, i, first_twist);
  part.last_twist = along_chain(chain, next, last_twist);
  part.first_x = curve_tangent(part, 0, 0.0f);
  part.last_x = curve_tangent(part, part.spans - 1, 1.0f);
  part.first_y = frame_side(reference_axis(work, chain, record.curve, i, first_twist), part.first_x);
  part.last_y = frame_side(reference_axis(work, chain, record.curve, next, last_twist), part.last_x);

  part.remaining = 0.0f;
  if (part.frames != kCurveFramesEndpoint) {
    part.reflected[0] = part.first_y;
    vec3 point = part.first;
    vec3 x = part.first_x;
    for (int step = 1; step <= kCurveReflections; ++step) {
      float at = float(step * part.spans) / float(kCurveReflections);
      int k = min(int(at), part.spans - 1);
      vec3 next_point = curve_point(part, k, at - float(k));
      vec3 next_x = curve_tangent(part, k, at - float(k));
      part.reflected[step] = double_reflection(part.reflected[step - 1], point, x, next_point, next_x);
      point = next_point;
      x = next_x;
    }
    vec3 arrived = part.reflected[kCurveReflections];
    part.remaining = atan(dot(cross(arrived, part.last_y), part.last_x), dot(arrived, part.last_y));
  }
  return part;
}

// t of the rest length s, from the start of the part: monotone, so Newton's method within a bracket that shrinks. It
// would halve the way to an end of the span step by step, so that is looked at first.
PELT_SHARED_FN float curve_parameter(PELT_SHARED_IN(CurvePart) part, float s) {
  int k = 0;
  while (k + 1 < part.spans && curve_arc(part, k, 1.0f) < s) ++k;
  if (curve_arc(part, k, 0.0f) >= s) return float(k);
  if (curve_arc(part, k, 1.0f) <= s) return float(k + 1);
  float low = 0.0f;
  float high = 1.0f;
  float u = 0.5f;
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

// M at lambda.
PELT_SHARED_FN Affine curve_frame(PELT_SHARED_IN(CurvePart) part, float lambda, CurveShape shape) {
  float t = curve_parameter(part, mix(part.first_arc, part.last_arc, lambda));
  int k = min(int(t), part.spans - 1);
  vec3 point = curve_point(part, k, t - float(k));
  vec3 x = curve_tangent(part, k, t - float(k));
  vec3 y = part.first_y;
  float fold = part.frames == kCurveFramesEndpoint  ? 1.0f
               : part.frames == kCurveFramesTangent ? 0.0f
                                                    : mix(part.first_fold, part.last_fold, lambda);
  if (fold < 1.0f) {
    float at = t * float(kCurveReflections) / float(part.spans);
    int node = min(int(at), kCurveReflections - 1);
    float from = float(node * part.spans) / float(kCurveReflections);
    int from_k = min(int(from), part.spans - 1);
    vec3 from_point = curve_point(part, from_k, from - float(from_k));
    vec3 from_x = curve_tangent(part, from_k, from - float(from_k));
    y = turned_about(x, double_reflection(part.reflected[node], from_point, from_x, point, x), part.remaining * lambda);
  }
  if (fold > 0.0f) {
    vec3 endpoint_x = normalize_or(mix(part.first_x, part.last_x, lambda), x);
    vec3 endpoint_y = mix(part.first_y, part.last_y, lambda);
    x = normalize_or(mix(x, endpoint_x, fold), x);
    y = mix(y, endpoint_y, fold);
  }
  y = direction_across(x, y, frame_side(x, x));
  y = turned_about(x, y, mix(part.first_twist, part.last_twist, shape.twist_share) + shape.twist);
  vec3 z = cross(x, y);

  float scale = mix(part.first_scale, part.last_scale, lambda);
  vec3 origin = mix(point, mix(part.first, part.last, lambda), part.centre);
  return affine_from_axes(mat3(x * scale, y * (scale * shape.width_y), z * (scale * shape.width_z)), origin);
}

PELT_SHARED_FN CurveShape curve_shape(PoseWork work, uint sample_word) {
  uint word = sample_word + kCurveSampleShape;
  return CurveShape(table_float(work, word), table_float(work, word + 1u), table_float(work, word + 2u),
                    table_float(work, word + 3u), table_float(work, word + 4u), table_float(work, word + 5u));
}

// The palette entry of sample k of the record.
PELT_SHARED_FN Affine pose_curve_sample(CurveRecord record, PELT_SHARED_IN(CurvePart) part, PoseWork work, uint k) {
  uint word = record.first_sample + k * kCurveSampleWords;
  uint inverse = word + kCurveSampleInverse;
  Affine rest_inverse = Affine(vec4(table_vector(work, inverse), table_float(work, inverse + 3u)),
                               vec4(table_vector(work, inverse + 4u), table_float(work, inverse + 7u)),
                               vec4(table_vector(work, inverse + 8u), table_float(work, inverse + 11u)));
  return affine_compose(curve_frame(part, table_float(work, word), curve_shape(work, word)), rest_inverse);
}

PELT_SHARED_END

#endif
