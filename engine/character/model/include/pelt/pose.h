// SPDX-License-Identifier: MIT
// Converts a clip and a time to joint matrices. No function here allocates.
#pragma once

#include <span>

#include <pelt/animation.h>
#include <pelt/skeleton.h>

namespace pelt {

// Sets local[j] to the rest transform of joint j. Shape: local.size() == joints.
void rest_pose(const Skeleton& skeleton, std::span<Transform> local);

// Overwrites the properties that the clip keys with their values at `time` seconds, clamped to the first and last key.
// Leaves the others in `local`, so call rest_pose first. Rotations are normalised; linear ones take the shorter arc.
void sample_clip(const Clip& clip, float time, std::span<Transform> local);

// Returns the weight of a morph target at `time` seconds, clamped to the first and last key.
float sample(const MorphChannel& channel, float time);

// Converts local transforms to model space, matrices[j] = matrices[parent] * local[j], with a joint's `matrix` instead
// of local[j] if it has one. A scale of 0 becomes a tiny one, which keeps the rotation. Then turns the helper joints.
// Crowd::pose and Evaluator::pose take these matrices.
void model_matrices(const Skeleton& skeleton, std::span<const Transform> local, std::span<glm::mat4> matrices);

// Turns the helper joints (Skeleton::helpers) and moves the joints below them. Matrices that were already turned do not
// change. Crowd::pose and Evaluator::pose call this; call it for matrices that reach the device in another way.
void turn_helpers(const Skeleton& skeleton, std::span<glm::mat4> matrices);

// Returns the matrices of the rest pose, as they are.
void rest_matrices(const Skeleton& skeleton, std::span<glm::mat4> matrices);

}  // namespace pelt
