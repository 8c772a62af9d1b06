// SPDX-License-Identifier: MIT
// The motions that a linear-blend fit is fitted to.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/frame.h>
#include <pelt/linear_fit.h>
#include <pelt/result.h>

#include "shaders/linear_blend/pose.h"

namespace pelt {

// What poses a character.
struct SamplePose {
  std::vector<glm::mat4> joints;
  std::vector<float> inputs;
};

// Returns poses of the clips, then random ones, as `options` count them; the rest pose if they count none.
std::vector<SamplePose> fit_poses(const CharacterData& data, const LinearFitOptions& options);

// Returns the joints that fits may blend: the model's bound joints, then all others, bound in their rest pose.
std::vector<shared::JointRecord> fit_joints(const CharacterData& data);

// The motions of the joints, and the positions that the deformers give, in each sample pose.
struct FitSamples {
  std::size_t joint_count = 0;
  std::vector<std::vector<Affine>> motions;       // M_j, for each pose and joint
  std::vector<std::vector<glm::vec3>> positions;  // v', for each pose and vertex of the character

  std::size_t count() const { return motions.size(); }
};

// Moves the character to each pose. Fails if a vertex is then not finite.
Result<FitSamples> take_samples(const Character& character, std::span<const SamplePose> poses,
                                std::span<const shared::JointRecord> joints, unsigned threads);

}  // namespace pelt
