// SPDX-License-Identifier: MIT
// Chooses the samples of frames along a chain: few, and dense in bends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/authoring/chain/curve.h"

namespace pelt::chain {

// A chain whose joints bend and twist more than they will in use. Samples are chosen for kStrongPoses of them: every
// joint, counted from the top, bends by 135 degrees, does so and twists by 180, or twists by 360.
struct StrongPose {
  std::vector<glm::mat4> joints;
  std::vector<float> twists;  // of each joint
};
inline constexpr std::size_t kStrongPoses = 3;
StrongPose strong_pose(std::size_t pose, const Chain& chain, std::span<const glm::dmat4> at_bind);

// The input of a table's samples, piece by piece (bones, windows).
struct Sampled {
  std::span<const float> reach;  // of the skin about each piece, metres; 0: without skin
  std::uint32_t per_record;      // samples per record
  std::size_t poses;             // of `posed`
  bool evenly;                   // true: samples at equal distances, which suits short pieces; false: dense in bends
  // Returns a frame at bind; the skin around it is across its x.
  std::function<Affine(std::size_t piece, float at)> place;
  // Return M^R, and M^D in a strong pose.
  std::function<Affine(std::size_t piece, float at)> rest;
  std::function<Affine(std::size_t pose, std::size_t piece, float at)> posed;
};

// Returns the samples of each piece as fractions of it, ascending from 0 to 1: a multiple of `per_record`, at most 512,
// or none without skin. In each strong pose, the table then moves every point within reach to at most `error` metres
// from its position by an exact frame. Between samples h apart, the error is at most h^2 / 8 times the second
// derivative of the moved point. So samples lie at equal steps of the integral of its square root, or all as near as
// its largest value requires.
std::vector<std::vector<float>> place_samples(const Sampled& sampled, float error);

// Returns the same for the bones of a curve.
std::vector<std::vector<float>> place_samples(const Curve& curve, std::span<const float> reach, float error,
                                              std::span<const glm::dmat4> at_bind);

}  // namespace pelt::chain
