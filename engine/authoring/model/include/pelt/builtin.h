// SPDX-License-Identifier: MIT
// Built-in characters, so that demonstrations, tests and measurements need no files.
#pragma once

#include <pelt/model.h>

namespace pelt {

// Returns a smooth watertight figure of about 40,000 vertices, 1.8 m tall, on y = 0, facing +z, arms out to the sides,
// with two eyes as separate meshes: 59 joints (including five fingers of three joints each, toes, a jaw, eyes and their
// upper and lower lids), painted weights. Clips: "walk" (loops), "flex" (elbows and knees past 120 degrees, forearms
// twisted 180), "fingers" (one by one), "mouth", "blink", "nod", "shrug", "raise" (both arms overhead), "squat",
// "reach" (forward with the left arm).
Model make_biped();

// The reference of docs/mathematics.md section 5: a closed cylinder along +x with one inner joint.
struct LimbOptions {
  float radius = 1.0f;
  float length = 8.0f;
  std::uint32_t around = 64;  // quads round; at least 3 are made
  std::uint32_t along = 64;   // quads along; at least 1 is made
  float blend_length = 2.0f;  // metres over which the weight changes from bone to bone by smoothstep; 0: at once
};
// Makes the cylinder. Joints "root" (x = 0) and "joint" (x = length / 2). Clips "bend" (0 to 150 degrees about z) and
// "twist" (0 to 360 degrees about x), each one second per 90 degrees.
Model make_limb(const LimbOptions& options = {});

// Makes a tapered closed tail of 8 joints along +x, with the clip "curl".
Model make_tail();

// Makes an arm along +x of about 10,000 vertices, closed, 0.79 m long: joints "shoulder", "elbow", "wrist". Clips
// "flex" (the elbow bends by 0 to 130 degrees towards +y) and "twist" (the wrist turns by 0 to 150), at 60 degrees per
// second.
Model make_arm();

}  // namespace pelt
