// SPDX-License-Identifier: MIT
// Secondary action (Forsey 1994, section 4): a mass on a stiff rod. With W the posed control vertex, r the displacement
// of its mass and y = W + r the position of the mass,
//     m r'' = -k r - c (y' - W') - m W'',     k = 3 E I / l^3,
// in the plane across the rod, c larger along the surface's normal than across it. W moves evenly from one frame to the
// next. At fixed intervals h (kActionStep), independent of frames, the mass is pulled; between them it drifts:
//     s = y' - W':   s = kept s - pull r  every h;   r = r + t s  over a time t.
// kept and pull give this pair the decay and the frequency of the damped oscillator
// (engine/authoring/hierarchical_bspline/action_pull.h). The state is a palette entry that no other pass writes.
#ifndef PELT_SHADERS_HIERARCHICAL_BSPLINE_ACTION_POSE_H
#define PELT_SHADERS_HIERARCHICAL_BSPLINE_ACTION_POSE_H

#include "../pose_pass.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST float kActionStep = 1.0f / 240.0f;  // seconds
// The clock counts steps, and parts of them, and wraps round after so many steps: floats hold it exactly.
PELT_SHARED_CONST float kActionClock = 65536.0f;
PELT_SHARED_CONST float kActionParts = 256.0f;  // of a step
// A mass starts at rest if it was not posed for more than so many steps, or if its vertex moved farther than this
// since.
PELT_SHARED_CONST float kMaxActionSteps = 64.0f;
PELT_SHARED_CONST float kMaxActionMove = 1e6f;  // metres
PELT_SHARED_CONST uint kActionEntries = 2u;     // the shift of the vertex; its state

struct ActionRecord {
  uint vertex;        // of the instance: W
  uint entry;         // palette entry that moves the reference with the vertex
  uint clock;         // input: steps since the instance began
  PackedVec3 rest;    // the vertex at bind
  PackedVec3 root;    // the rod's fixed end at bind
  PackedVec3 normal;  // unit, of the surface at bind
  float kept;         // 0 to 1, along the surface
  float pull;         // 1/s, 0 to 2 / kActionStep, along the surface
  float kept_into;    // the same along the normal
  float pull_into;
  float reach;  // longest displacement, metres; negative: as long, and the mass keeps its height over the surface
};
PELT_SHARED_SIZE(ActionRecord, 68);

// Displacement r, velocity y', W and the clock in the last frame. `begun`: 0 not yet, 1 W and the clock are known, 2
// the velocity too.
struct ActionState {
  vec3 displacement;
  vec3 velocity;
  vec3 target;
  float clock;
  float begun;
};

struct ActionEntries {
  Affine shift;
  Affine state;
};

PELT_SHARED_FN ActionState action_state(Affine kept) {
  return ActionState(vec3(kept[0]), vec3(kept[1]), vec3(kept[2]), kept[0].w, kept[1].w);
}

PELT_SHARED_FN Affine kept_action(ActionState state) {
  return Affine(vec4(state.displacement, state.clock), vec4(state.velocity, state.begun), vec4(state.target, 0.0f));
}

PELT_SHARED_FN vec3 across_rod(vec3 v, vec3 rod) { return v - rod * dot(v, rod); }

// In the two functions below the state's velocity is s.
PELT_SHARED_FN ActionState pull_action(ActionState state, ActionRecord record, vec3 rod, vec3 normal) {
  vec3 s = state.velocity * record.kept - state.displacement * record.pull;
  vec3 into = state.velocity * record.kept_into - state.displacement * record.pull_into;
  state.velocity = across_rod(s + normal * dot(into - s, normal), rod);
  return state;
}

// The displacement stays across the rod. A mass that would exceed its reach is stopped.
PELT_SHARED_FN ActionState drift_action(ActionState state, ActionRecord record, vec3 rod, float steps) {
  vec3 r = across_rod(state.displacement + state.velocity * (steps * kActionStep), rod);
  float size = length(r);
  if (size > abs(record.reach)) {
    vec3 outward = r * (1.0f / size);
    r = outward * abs(record.reach);
    state.velocity -= outward * max(dot(state.velocity, outward), 0.0f);
  }
  state.displacement = r;
  return state;
}

// Moves the mass while its vertex moves to `target`, in `steps` steps, a whole number of parts.
PELT_SHARED_FN ActionState move_action(ActionState state, ActionRecord record, vec3 target, vec3 rod, vec3 normal,
                                       float steps) {
  vec3 carried = (target - state.target) * (1.0f / (steps * kActionStep));  // W'
  // The mass starts at rest relative to its vertex, whatever the vertex's motion.
  if (state.begun < 2.0f) state.velocity = carried;
  state.velocity -= carried;
  float at = fract(state.clock);
  float end = at + steps;
  for (float next = ceil(at); next < end; next += 1.0f) {
    state = pull_action(drift_action(state, record, rod, next - at), record, rod, normal);
    at = next;
  }
  state = drift_action(state, record, rod, end - at);
  state.velocity += carried;
  state.begun = 2.0f;
  return state;
}

PELT_SHARED_FN ActionEntries pose_action(ActionRecord record, Affine kept, PoseWork work) {
  vec3 target = posed_vertex(work, record.vertex);
  Affine motion = palette_entry(work, record.entry);
  vec3 root = transform_point(motion, unpacked(record.root));
  vec3 arm = target - root;
  vec3 rod = normalize_or(arm, vec3(0.0f));
  vec3 normal = normalize_or(transform_vector(motion, unpacked(record.normal)), vec3(0.0f));
  float clock = input_value(work, record.clock);
  ActionState state = action_state(kept);
  float steps = clock - state.clock;
  if (steps < 0.0f) steps += kActionClock;
  vec3 moved = target - state.target;
  // Starts at rest also after NaN, from joints or a clock without a value.
  bool goes_on = !work.restarts && state.begun >= 1.0f && is_within(steps, kMaxActionSteps) &&
                 is_within(dot(moved, moved), kMaxActionMove * kMaxActionMove);
  if (!goes_on) {
    state = ActionState(vec3(0.0f), vec3(0.0f), target, clock, 1.0f);
  } else if (steps * kActionParts >= 1.0f) {
    state = move_action(state, record, target, rod, normal, steps);
    state.target = target;
    state.clock = clock;
  }
  // The rod bends and does not stretch; its tip moves on an arc, or is led along the surface.
  vec3 shift = normalize_or(arm + state.displacement, rod) * length(arm) - arm;
  if (record.reach < 0.0f) shift -= normal * dot(shift, normal);
  vec3 point = target + shift;
  return ActionEntries(affine_from_axes(mat3(1.0f), point - unpacked(record.rest)), kept_action(state));
}

PELT_SHARED_END

#endif
