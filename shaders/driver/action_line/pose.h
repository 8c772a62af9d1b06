// SPDX-License-Identifier: MIT
// Action line (Yang, Somasekharan, Zhang 2006, "Muscle Deformation"; docs/mathematics.md section 2): the curve of a
// muscle. The palette entry of a sample is T = M^D (M^R)^-1, M the frame of the line at the sample, so that the blend's
// local point is the rest position.
//
// Line. Control points P_0 .. P_n-1, which an earlier stage moves, define a uniform cubic B-spline with phantom ends
// 2 P_0 - P_1, so that it reaches both ends. The side vertex after them moves rigidly with P_0; its distance gives s,
// the growth of the character. The line is q = L^D / (s L^R) times as long as at rest.
// Parameter. Wherever the line shortens, the muscle contracts in its belly and as a whole. At lambda, a fraction of
// L^R, it stretches by 1 + (q - 1) w(lambda), so the sample is at lambda + (q - 1) W(lambda) of s L^R, W the integral
// of w, W(1) = 1. w is 0 in the tendons. Below q_min, at which the stretch would approach 0, the line shrinks evenly.
// Frame. x = unit tangent; y points at the side vertex at P_0 and is carried along the line by double reflection; z = x
// x y. A line that wrings has another side vertex, which moves with P_n-1 and is along y there at rest. The angle phi
// from y to it, in (-pi, pi], turns y and z by lambda phi about x. The volume of a slice is section times length
// (Pappus: the line is the middle of its sections), so y and z are scaled by stretch^-e: e = 1/2 keeps the volume, 0
// keeps the section, a larger e swells it.
#ifndef PELT_SHADERS_ACTION_LINE_POSE_H
#define PELT_SHADERS_ACTION_LINE_POSE_H

#include "../../angle.h"
#include "../../pose_pass.h"
#include "../../power.h"
#include "../../quaternion.h"
#include "../../spline.h"
#include "../../table.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

// Layout of the table:
//   line    first of n control points (vertex of the instance), n (plus kLineWrings), L^R,
//           distance of the side vertex at rest, q_min
//   sample  lambda, w, W, e, (M^R)^-1 row by row
PELT_SHARED_CONST uint kLineFirstPoint = 0u;
PELT_SHARED_CONST uint kLinePointCount = 1u;
PELT_SHARED_CONST uint kLineLength = 2u;
PELT_SHARED_CONST uint kLineSide = 3u;
PELT_SHARED_CONST uint kLineLeast = 4u;
PELT_SHARED_CONST uint kLineWords = 5u;
PELT_SHARED_CONST uint kLineSampleShape = 1u;
PELT_SHARED_CONST uint kLineSampleInverse = 4u;
PELT_SHARED_CONST uint kLineSampleWords = 16u;

PELT_SHARED_CONST uint kLineWrings = 256u;  // flag: the vertex after the side vertex is the other one

PELT_SHARED_CONST uint kLineEntries = 8u;  // palette entries per record: neighbouring samples, ascending
PELT_SHARED_CONST uint kMinLinePoints = 2u;
PELT_SHARED_CONST uint kMaxLinePoints = 8u;
PELT_SHARED_CONST int kLineSteps = 8;                  // steps per span, for its length and for the double reflection
PELT_SHARED_CONST float kShortestLine = 1.0f / 16.0f;  // lower limit of q; the next is the upper limit
PELT_SHARED_CONST float kLongestLine = 16.0f;
PELT_SHARED_CONST float kHiddenSide = 0.1f;  // |side vertex - end| across x, over its length at rest: phi fades below
PELT_SHARED_CONST float kMaxLineShare = 16.0f;    // limit of w
PELT_SHARED_CONST float kMaxLineExponent = 4.0f;  // limit of e

struct ActionLineRecord {
  uint line;          // word
  uint first_sample;  // word; kLineEntries samples
};
PELT_SHARED_SIZE(ActionLineRecord, 8);

struct ActionLine {
  vec3 control[10];  // with the phantom points
  int steps;         // kLineSteps per span
  vec3 side;         // from the first point to the side vertex
  float arc_length;
  float scale;   // s
  float longer;  // q
  float least;   // q_min
  bool wrings;
  vec3 end_side;  // from the last point to the other side vertex
};

// The position, and the unit tangent, at step `at` in [0, steps].
PELT_SHARED_FN vec3 line_point(PELT_SHARED_IN(ActionLine) line, float at) {
  float t = at * (1.0f / float(kLineSteps));
  int k = spline_span(t, line.steps / kLineSteps);
  vec4 weights = spline_basis(t - float(k));
  return mix4(weights, line.control[k], line.control[k + 1], line.control[k + 2], line.control[k + 3]);
}
PELT_SHARED_FN vec3 line_tangent(PELT_SHARED_IN(ActionLine) line, float at) {
  float t = at * (1.0f / float(kLineSteps));
  int k = spline_span(t, line.steps / kLineSteps);
  vec4 weights = spline_slope(t - float(k));
  vec3 whole = line.control[line.steps / kLineSteps + 1] - line.control[1];
  return normalize_or(mix4(weights, line.control[k], line.control[k + 1], line.control[k + 2], line.control[k + 3]),
                      normalize_or(whole, vec3(1, 0, 0)));
}

PELT_SHARED_FN ActionLine read_action_line(PoseWork work, uint word) {
  uint first = table_word(work, word + kLineFirstPoint);
  uint points = table_word(work, word + kLinePointCount);
  int count = int(points % kLineWrings);
  ActionLine line;
  for (int i = 0; i < count; ++i) line.control[i + 1] = posed_vertex(work, first + uint(i));
  line.control[0] = line.control[1] * 2.0f - line.control[2];
  line.control[count + 1] = line.control[count] * 2.0f - line.control[count - 1];
  line.steps = (count - 1) * kLineSteps;
  line.side = posed_vertex(work, first + uint(count)) - line.control[1];
  line.arc_length = 0.0f;
  vec3 from = line.control[1];
  for (int step = 1; step <= line.steps; ++step) {
    vec3 to = line_point(line, float(step));
    line.arc_length += length(to - from);
    from = to;
  }
  line.scale = length(line.side) / table_float(work, word + kLineSide);
  float whole = line.scale * table_float(work, word + kLineLength);
  line.longer = clamp(whole > 0.0f ? line.arc_length / whole : 1.0f, kShortestLine, kLongestLine);
  line.least = table_float(work, word + kLineLeast);
  line.wrings = points >= kLineWrings;
  line.end_side = line.side;
  if (line.wrings) line.end_side = posed_vertex(work, first + uint(count) + 1u) - line.control[count];
  return line;
}

// A posed sample: the length of the line up to it, the scale of y and z, and their turn about x.
struct PosedLineSample {
  float before;
  float width;
  float turn;
};

struct LineShape {
  float lambda;
  float share;     // w
  float integral;  // W
  float exponent;  // e
};

// `wring`: phi.
PELT_SHARED_FN PosedLineSample line_place(PELT_SHARED_IN(ActionLine) line, LineShape shape, float wring) {
  float uneven = max(line.longer, line.least);
  float stretch = (1.0f + (uneven - 1.0f) * shape.share) * (line.longer / uneven);
  float before = (shape.lambda + (uneven - 1.0f) * shape.integral) / uneven;
  float held = clamp(stretch, kShortestLine * kShortestLine, kLongestLine * kLongestLine);
  return PosedLineSample(clamp(before, 0.0f, 1.0f) * line.arc_length, power_of(held, -shape.exponent),
                         wring * shape.lambda);
}

// A step of the walk along the line: the frame at its start, and the lengths of the line up to its start and end.
struct LineWalk {
  int step;
  float before, after;
  vec3 point, x, y;
};

PELT_SHARED_FN LineWalk line_start(PELT_SHARED_IN(ActionLine) line) {
  LineWalk walk;
  walk.step = 0;
  walk.before = 0.0f;
  walk.point = line.control[1];
  walk.after = length(line_point(line, 1.0f) - walk.point);
  walk.x = line_tangent(line, 0.0f);
  vec3 other = abs(walk.x.x) < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0);
  walk.y = direction_across(walk.x, line.side, normalize(cross(walk.x, other)));
  return walk;
}

// Continues the walk to the step that contains `place`.
PELT_SHARED_FN LineWalk line_walk(PELT_SHARED_IN(ActionLine) line, LineWalk walk, PosedLineSample place) {
  while (walk.step + 1 < line.steps && walk.after < place.before) {
    ++walk.step;
    vec3 point = line_point(line, float(walk.step));
    vec3 x = line_tangent(line, float(walk.step));
    walk.y = double_reflection(walk.y, walk.point, walk.x, point, x);
    walk.point = point;
    walk.x = x;
    walk.before = walk.after;
    walk.after += length(line_point(line, float(walk.step + 1)) - point);
  }
  return walk;
}

// Returns M at `place` in the current step of `walk`.
PELT_SHARED_FN Affine line_frame(PELT_SHARED_IN(ActionLine) line, LineWalk walk, PosedLineSample place) {
  float step_length = walk.after - walk.before;
  float part = step_length > 0.0f ? clamp((place.before - walk.before) / step_length, 0.0f, 1.0f) : 0.0f;
  float at = float(walk.step) + part;
  vec3 point = line_point(line, at);
  vec3 x = line_tangent(line, at);
  vec3 y = direction_across(x, double_reflection(walk.y, walk.point, walk.x, point, x), walk.y);
  if (place.turn != 0.0f) y = y * cos_of(place.turn) + cross(x, y) * sin_of(place.turn);
  float width = line.scale * place.width;
  return affine_from_axes(mat3(x * line.scale, y * width, cross(x, y) * width), point);
}

// Returns phi, or 0 if the line does not wring.
PELT_SHARED_FN float line_wring(PELT_SHARED_IN(ActionLine) line) {
  if (!line.wrings) return 0.0f;
  PosedLineSample end = PosedLineSample(line.arc_length, 1.0f, 0.0f);
  mat3 axes = affine_axes(line_frame(line, line_walk(line, line_start(line), end), end));
  vec2 across = vec2(dot(axes[1], line.end_side), dot(axes[2], line.end_side));
  float shown = smoothstep(0.0f, kHiddenSide, length(across) / max(line.scale * length(line.side), 1e-30f));
  return shown * atan_of(across.y, across.x);
}

PELT_SHARED_FN LineShape line_shape(PoseWork work, uint word) {
  uint shape = word + kLineSampleShape;
  return LineShape(table_float(work, word), table_float(work, shape), table_float(work, shape + 1u),
                   table_float(work, shape + 2u));
}

// Returns (M^R)^-1 of the sample at `word`.
PELT_SHARED_FN Affine line_rest_inverse(PoseWork work, uint word) {
  return table_affine(work, word + kLineSampleInverse);
}

PELT_SHARED_END

#endif
