// SPDX-License-Identifier: MIT
// Turns a clip and a time into joint matrices. No function here allocates.
#pragma once

#include <span>

#include <pelt/animation.h>
#include <pelt/skeleton.h>

namespace pelt {

// Sets local[j] to the rest transform of joint j. Shape: local.size() == joints.
void rest_pose(const Skeleton& skeleton, std::span<Transform> local);

// Overwrites the properties that the clip keys, at `time` seconds, clamped to the first and last key. All others in
// `local` stay as they are, so call rest_pose first. Rotations are normalised; linear ones take the shorter arc.
void sample_clip(const Clip& clip, float time, std::span<Transform> local);

// Returns the weight of a morph target at `time` seconds, clamped to the first and last key.
float sample(const MorphChannel& channel, float time);

// Converts local transforms to model space: matrices[j] = matrices[parent] * local[j]; a joint that has a `matrix` uses
// that instead of local[j]. Then turns the helper joints. Crowd::pose and Evaluator::pose take these joint matrices.
void model_matrices(const Skeleton& skeleton, std::span<const Transform> local, std::span<glm::mat4> matrices);

// Turns the helper joints (Skeleton::helpers), and moves along what hangs below them. Matrices that are turned already
// stay as they are. Crowd::pose and Evaluator::pose do this; it is for matrices that go to the device otherwise.
void turn_helpers(const Skeleton& skeleton, std::span<glm::mat4> matrices);

// Does rest_pose and model_matrices at once.
void rest_matrices(const Skeleton& skeleton, std::span<glm::mat4> matrices);

}  // namespace pelt
