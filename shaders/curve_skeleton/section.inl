// SPDX-License-Identifier: MIT
// A point of a curve with steps at its joints, and its frame (step_frames.h).

// A point of the curve, and its derivative by the rest length.
struct CurvePoint {
  Real3 point, slope;
};

// x and y of a frame before the twist is applied, of unit length and at right angles.
struct CurveAxes {
  Real3 x, y;
};

// 1 at a = 0, 0 from a = 1 on, with zero slope at both; and its slope.
PELT_LANES_FN Real smooth_window(Real a) {
  Real held = min(a, 1.0f);
  Real left = 1.0f - held * held * held;
  return left * left * left;
}
PELT_LANES_FN Real smooth_window_slope(Real a) {
  Real held = min(a, 1.0f);
  Real left = 1.0f - held * held * held;
  return -9.0f * held * held * left * left;
}

// Rises from 0 at u = 0: linear, but for a smooth start as wide as `ease`.
PELT_LANES_FN Real smooth_start(Real u, float ease) { return choose(u < ease, u * u / (2.0f * ease), u - 0.5f * ease); }

// Falls from 1 at a joint to 0 at `reach` and beyond; linear except near the end.
PELT_LANES_FN Real step_ramp(Real way, float reach) {
  Real u = max(1.0f - abs(way) / max(reach, 1e-20f), 0.0f);
  return smooth_start(u, kStepEase) / (1.0f - 0.5f * kStepEase);
}

// Returns S.
PELT_LANES_FN Real step_share(vec2 turning, Real way, bool before) {
  Real half_share = 0.5f * step_ramp(way, on_side(turning, before));
  return before ? half_share : 1.0f - half_share;
}

// The slope of q (1 - a)^2.
PELT_LANES_FN Real handle_slope(Real a) { return (1.0f - a) * (1.0f - 3.0f * a); }

// Returns S of an eased joint, within `lengths` of it: L of the bones that bend, 0 for a stiff one. `other`: the ease
// at the other end of the bone.
PELT_LANES_FN Real eased_share(PELT_SHARED_IN(CurveStep) step, float other, vec2 lengths, Real way, bool before) {
  vec2 eases = step_eases(step);
  Real a = min(abs(way) / max(on_side(lengths, before), 1e-20f), 1.0f);
  Real slope = handle_slope(a);
  float ease = on_side(eases, before);
  Real pace = 1.0f + slope * (ease - 1.0f) + handle_slope(1.0f - a) * (other - 1.0f);
  float part = min(eases.x, eases.y) > 0.0f ? 0.5f : 1.0f;
  Real share = part * slope * ease / max(pace, max(min(ease, kStepPace), 1e-20f));
  return before ? share : 1.0f - share;
}

// Returns B: the distance between a corner and its curve with the step 1/2 + 3/4 a - 1/4 a^3.
PELT_LANES_FN Real step_round(Real a) {
  return choose(a < 1.0f, 0.1875f + a * (-0.5f + a * (0.375f - 0.0625f * a * a)), Real(0.0f));
}
PELT_LANES_FN Real step_round_slope(Real a) {
  return choose(a < 1.0f, -0.5f + a * (0.75f - 0.25f * a * a), Real(0.0f));
}

// The shift of the curve by a displaced control point: greatest in the middle of its reach, and there as in a B-spline.
PELT_LANES_FN CurvePoint step_shift(vec3 displacement, Real way, float reach) {
  float half_reach = max(0.5f * reach, 1e-20f);
  Real a = (way - half_reach) / half_reach;
  const float most = 2.0f / 3.0f;
  return CurvePoint(
      displacement * (most * smooth_window(abs(a))),
      displacement * (most * smooth_window_slope(abs(a)) / half_reach * choose(a < 0.0f, Real(-1.0f), Real(1.0f))));
}

// A point of the curve, and its frame before twist and bulge.
struct CurveSection {
  CurvePoint place;
  CurveAxes axes;
  Real3 inside;  // the sum of the directions towards the inside of the nearby bends
  Real3 press;   // towards the inside, as long as the part of the section for which there is no room
  Real3 shift;   // of the centre of a pressed section
  Real kept;     // part of the volume that a pressed section keeps
};

// Adds the step of a joint at the distance `way` after it; nothing beyond its window, which is positive and at least
// `turning`. `cut`: the share of it that cuts the corner.
PELT_LANES_FN CurveSection add_step(PELT_SHARED_IN(CurveSection) section, PELT_SHARED_IN(CurveStep) step, Real way,
                                    bool before, float turning, float window, float cut) {
  CurveSection result = section;
  result.inside += step.inside * step_ramp(way, turning);
  if (step.reach < 0.0f) {
    Real a = min(abs(way) / window, 1.0f);
    vec3 handle = before ? step.jump : step.speed;
    result.place.point += handle * (way * (1.0f - a) * (1.0f - a));
    result.place.slope += handle * handle_slope(a);
    return result;
  }
  float side = before ? -1.0f : 1.0f;
  vec3 jump = step.jump * cut;
  vec3 speed = step.speed * cut;
  float round = max(min(step.reach * (8.0f / 9.0f), window), 1e-20f);
  Real a = abs(way) / round;
  Real g = smooth_window(abs(way) / window);
  Real slope = side * smooth_window_slope(abs(way) / window) / window;
  vec3 uncut = jump * (step.reach * (1.0f / 12.0f));
  result.place.point += jump * (round * step_round(a)) - uncut * g + speed * (way * g);
  result.place.slope += jump * (side * step_round_slope(a)) - uncut * slope + speed * (g + way * slope);
  return result;
}

// Flattens a section against the other side of a bend. Both sides meet in the plane that halves the bend or, at the
// joint, in the centre of the curvature. `word`: of the joint's anchor; `away`: from it, on a bone of the length
// `bone`.
PELT_LANES_FN CurveSection press_section(PELT_SHARED_IN(CurveSection) section, PELT_SHARED_IN(CurveStep) step,
                                         PoseWork work, uint word, vec3 joint, Real scale, float turning, float bone,
                                         Real away) {
  vec3 across = step.speed / max(length(step.speed), 1e-20f);  // to the plane
  float pace = max(length(step.slope - 0.5f * step.jump + step.speed), 1e-20f);
  float reach = max(turning, 1e-20f);
  float radius = pace * (2.0f - kStepEase) * reach / step.angle;
  Real3 x = section.axes.x;
  Real3 inside = step.inside - x * dot(x, Real3(step.inside));
  inside = inside / max(length(inside), 1e-6f);
  Real way = abs(dot(section.place.point - joint, Real3(across)));
  Real room = (way + kStepNear * radius) / (abs(dot(inside, Real3(across))) + kStepNear);
  Real size = max(table_float(work, word + kCurveAnchorRadius) * scale, 1e-20f);
  Real3 y = section.axes.y;
  Real centre = (dot(inside, y) * table_float(work, word + kCurveAnchorRadius + 1u) +
                 dot(inside, cross(x, y)) * table_float(work, word + kCurveAnchorRadius + 2u)) *
                scale;
  Real inner = centre + kStepInner * size;  // distance of the section's inside from the curve
  Real excess = smooth_start(max((inner - room) / size + 0.5f * kStepSoft, 0.0f), kStepSoft);
  excess = 0.5f * min(excess, 1.6f) * (1.0f - smoothstep(0.5f, 1.0f, away / bone));
  excess *= table_float(work, word + kCurveAnchorTube);
  Real shift = excess * (size - centre);
  CurveSection result = section;
  result.press += inside * excess;
  result.shift -= inside * shift;
  Real turns = 1.0f - smoothstep(0.7f * reach, 1.2f * reach, away);
  // Half of the lost volume comes back: more would show as ridges.
  result.kept *= 0.5f + 0.5f * (1.0f - excess) * (1.0f + turns * shift / radius);
  return result;
}

// Returns the part `share` of a turn of at most half a turn.
PELT_LANES_FN Real4 step_turn(vec3 turn, Real share) {
  float angle = length(turn);
  Real half_angle = 0.5f * share * angle;
  Real sine = angle > 1e-20f ? near_sin(half_angle) / angle : Real(0.0f);
  return Real4(sine * turn.x, sine * turn.y, sine * turn.z, near_cos(half_angle));
}

// Turns the share `around` of the curve about a joint, as its frames turn. `frame`: of the curve; `slope`: e of the
// bone on this side.
PELT_LANES_FN CurvePoint turn_about_joint(CurvePoint place, Real4 frame, vec3 slope, Real way, float around) {
  Real3 off = (rotation_from_quaternion(frame)[0] * length(slope) - Real3(slope)) * around;
  return CurvePoint(place.point + off * way, place.slope + off);
}

// Returns the curve at lambda of a bone. `scales`: of the section at its ends.
PELT_LANES_FN CurveSection step_section(PoseWork work, Chain chain, uint curve, uint bone, Real lambda, vec2 scales) {
  uint anchors = curve_anchor_word(work, curve, 0u);
  uint first_step = table_word(work, curve + kCurveFirstStep);
  uint word = anchors + bone * kCurveAnchorWords;
  float arc = table_float(work, word);
  float rest = table_float(work, word + kCurveAnchorWords) - arc;
  Real way_in = lambda * rest;
  CurveStep first_end = posed_step(work, first_step + kCurveStepEntries * bone);
  CurveStep last_end = posed_step(work, first_step + kCurveStepEntries * (bone + 1u));
  // An eased joint reaches only the bones at it, so the other end is that of this bone.
  vec2 others = vec2(step_eases(first_end).y, step_eases(last_end).x);
  vec3 slope = first_end.slope;
  CurveSection section;
  vec3 start = posed_position(work, chain, bone);
  section.place = CurvePoint(start + slope * way_in, slope);
  section.inside = Real3(0.0f);
  section.press = Real3(0.0f);
  section.shift = Real3(0.0f);
  section.kept = Real(1.0f);
  uvec2 joints = steps_at(work, chain, curve, bone);
  Real4 frame = posed_step(work, first_step + kCurveStepEntries * (joints.x - 1u)).frame;
  Truth passed = Truth(true);
  for (uint i = joints.x; i < joints.y; ++i) {
    uint joint = anchors + i * kCurveAnchorWords;
    Real way = arc + way_in - table_float(work, joint);
    vec2 turning =
        vec2(table_float(work, joint + kCurveAnchorTurning), table_float(work, joint + kCurveAnchorTurning + 1u));
    vec2 windows =
        vec2(table_float(work, joint + kCurveAnchorWindow), table_float(work, joint + kCurveAnchorWindow + 1u));
    CurveStep step = posed_step(work, first_step + kCurveStepEntries * i);
    bool before = i > bone;
    float window = on_side(windows, before);
    float around = step.reach < 0.0f ? 0.0f : turned_share(work, joint, step.bend);
    if (window > 0.0f && any_of(abs(way) < window)) {
      section = add_step(section, step, way, before, min(on_side(turning, before), window), window, 1.0f - around);
    }
    Real share = step.reach < 0.0f ? eased_share(step, on_side(others, before), windows, way, before)
                                   : step_share(turning, way, before);
    // A joint that is passed, along with all before it, leaves the frame of its bone.
    passed = passed && share == 1.0f;
    if (any_of(!passed && share != 0.0f)) {
      Real4 turn = quaternion_product(step_turn(step.turn, share), step_turn(rest_turn(work, joint), share));
      if (around > 0.0f) {
        CurveStep last = posed_step(work, first_step + kCurveStepEntries * (i - 1u));
        section.place = turn_about_joint(section.place, quaternion_product(Real4(last.frame), turn),
                                         before ? last.slope : step.slope, way, around);
      }
      frame = quaternion_product(frame, turn);
    }
    frame = choose(passed, Real4(step.frame), frame);
  }
  Real3x3 axes = rotation_from_quaternion(normalize(frame));
  section.axes = CurveAxes(axes[0], axes[1]);
  uint next = word + kCurveAnchorWords;
  Real scale = mix(scales.x, scales.y, lambda);
  if (table_float(work, word + kCurveAnchorRadius) > 0.0f && first_end.angle > kStepLeastPress) {
    section = press_section(section, first_end, work, word, start, scale,
                            table_float(work, word + kCurveAnchorTurning + 1u), rest, way_in);
  }
  if (table_float(work, next + kCurveAnchorRadius) > 0.0f && last_end.angle > kStepLeastPress) {
    section = press_section(section, last_end, work, next, posed_position(work, chain, bone + 1u), scale,
                            table_float(work, next + kCurveAnchorTurning), rest, rest - way_in);
  }

  vec3 after = first_end.reach < 0.0f ? vec3(0.0f) : table_vector(work, word + kCurveAnchorAfter);
  vec3 before = last_end.reach < 0.0f ? vec3(0.0f) : table_vector(work, next + kCurveAnchorBefore);
  if (dot(after, after) + dot(before, before) > 0.0f) {
    AnchorPose pose = posed_anchor(work, chain, carrying_anchor(chain, bone)).pose;
    CurvePoint first = step_shift(quaternion_rotate(pose.motion, after) * pose.scale, way_in,
                                  min(table_float(work, word + kCurveAnchorTurning + 1u), rest));
    CurvePoint last = step_shift(quaternion_rotate(pose.motion, before) * pose.scale, rest - way_in,
                                 min(table_float(work, next + kCurveAnchorTurning), rest));
    section.place.point += first.point;
    section.place.point += last.point;
    section.place.slope += first.slope;
    section.place.slope -= last.slope;
  }
  return section;
}
