// SPDX-License-Identifier: MIT
// From a clip and a time to joint matrices. No function here allocates.
#pragma once

#include <span>

#include <pelt/animation.h>
#include <pelt/skeleton.h>

namespace pelt {

// local[j] = rest transform of joint j. Shape: local.size() == joints.
void rest_pose(const Skeleton& skeleton, std::span<Transform> local);

// Overwrites the properties that the clip keys, at `time` seconds, clamped to the first and last key. Other entries of
// `local` stay as they are, so call rest_pose first. Rotations are normalised; linear ones take the shorter arc.
void sample_clip(const Clip& clip, float time, std::span<Transform> local);

// The weight of a morph target at `time` seconds, clamped to the first and last key.
float sample(const MorphChannel& channel, float time);

// Local transforms to model space: matrices[j] = matrices[parent] * local[j]; a joint that has `matrix` uses it.
// These are the joint matrices that Crowd::pose and Evaluator::pose take.
void model_matrices(const Skeleton& skeleton, std::span<const Transform> local, std::span<glm::mat4> matrices);

// rest_pose and model_matrices at once.
void rest_matrices(const Skeleton& skeleton, std::span<glm::mat4> matrices);

}  // namespace pelt
