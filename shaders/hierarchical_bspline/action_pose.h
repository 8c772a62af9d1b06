// SPDX-License-Identifier: MIT
// Secondary action (Forsey 1994, section 4): a mass on a stiff rod. With W the posed control vertex, r the displacement
// of its mass and y = W + r where the mass is,
//     m r'' = -k r - c (y' - W') - m W'',     k = 3 E I / l^3,
// in the plane across the rod, c larger along the surface's normal than across it. Time runs in steps of a fixed length
// (kActionStep), W moves evenly from one frame to the next, and each step is implicit in the velocity, so that it is
// stable for every stiffness:
//     s = (s - h (k/m) r) / (1 + h c/m + h^2 k/m),     r = r + h s,     s = y' - W'.
// The state is a palette entry of its own, which no other pass writes.
#ifndef PELT_SHADERS_HIERARCHICAL_BSPLINE_ACTION_POSE_H
#define PELT_SHADERS_HIERARCHICAL_BSPLINE_ACTION_POSE_H

#include "../pose_pass.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST float kActionStep = 1.0f / 240.0f;  // seconds
// The clock counts steps and starts anew after so many; numbers up to it are exact.
PELT_SHARED_CONST float kActionClock = 4194304.0f;
// An instance that was not posed for longer than this many steps starts at rest.
PELT_SHARED_CONST float kMaxActionSteps = 64.0f;
PELT_SHARED_CONST uint kActionSlots = 2u;  // the shift of the vertex; its state

struct ActionRecord {
  uint vertex;         // of the instance: W
  uint entry;          // palette entry that moves the reference with the vertex
  uint clock;          // input: steps since the crowd began
  vec3 rest;           // the vertex at bind
  vec3 root;           // its reference at bind: where the rod starts
  vec3 normal;         // unit, of the surface at bind
  float stiffness;     // k / m, 1/s^2
  float damping;       // c / m along the surface, 1/s
  float damping_into;  // c / m along the normal, 1/s
  float reach;         // longest displacement, metres
};
PELT_SHARED_SIZE(ActionRecord, 64);

// displacement r, velocity y', W of the last frame, the clock then, and 1 once it has begun.
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

// One step of the displacement and its velocity s across the rod.
PELT_SHARED_FN ActionState action_step(ActionState state, ActionRecord record, vec3 rod, vec3 normal) {
  float h = kActionStep;
  vec3 s = state.velocity - state.displacement * (h * record.stiffness);
  float stiff = 1.0f + h * h * record.stiffness;
  vec3 into = normal * dot(s, normal);
  s = into * (1.0f / (stiff + h * record.damping_into)) + (s - into) * (1.0f / (stiff + h * record.damping));
  state.velocity = across_rod(s, rod);
  vec3 r = across_rod(state.displacement + state.velocity * h, rod);
  float size = length(r);
  state.displacement = size > record.reach ? r * (record.reach / size) : r;
  return state;
}

PELT_SHARED_FN ActionEntries pose_action(ActionRecord record, Affine kept, PoseWork work) {
  vec3 target = posed_vertex(work, record.vertex);
  Affine motion = palette_entry(work, record.entry);
  vec3 root = transform_point(motion, record.root);
  vec3 rod = normalize_or(target - root, vec3(0.0f));
  vec3 normal = normalize_or(transform_vector(motion, record.normal), vec3(0.0f));
  float clock = input_value(work, record.clock);
  ActionState state = action_state(kept);
  float steps = clock - state.clock;
  if (steps < 0.0f) steps += kActionClock;
  if (state.begun != 1.0f || !(steps <= kMaxActionSteps)) {
    state = ActionState(vec3(0.0f), vec3(0.0f), target, clock, 1.0f);
    steps = 0.0f;
  }
  if (steps > 0.0f) {
    vec3 carried = (target - state.target) * (1.0f / (steps * kActionStep));  // W'
    state.velocity -= carried;
    for (float step = 0.0f; step < steps; step += 1.0f) state = action_step(state, record, rod, normal);
    state.velocity += carried;
    state.target = target;
    state.clock = clock;
  }
  // The rod bends and does not stretch.
  vec3 point = root + normalize_or(target + state.displacement - root, rod) * length(target - root);
  return ActionEntries(affine_from_axes(mat3(1.0f), point - record.rest), kept_action(state));
}

PELT_SHARED_END

#endif
