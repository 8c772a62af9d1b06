// SPDX-License-Identifier: MIT
// Chooses where frames along a chain are tabulated: few samples, dense where it bends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/authoring/chain/curve.h"

namespace pelt::chain {

// A chain whose joints bend and twist more than they will. Samples are placed for each of kStrongPoses of them: every
// joint, counted from the top, bends by 135 degrees, the same with a twist by 180, or twists by 360.
struct StrongPose {
  std::vector<glm::mat4> joints;
  std::vector<float> twists;  // one for each joint
};
inline constexpr std::size_t kStrongPoses = 3;
StrongPose strong_pose(std::size_t pose, const Chain& chain, std::span<const glm::dmat4> at_bind);

// What a table is sampled from, piece by piece (bones, windows).
struct Sampled {
  std::span<const float> reach;  // of the skin about each piece, metres; 0: without skin
  std::uint32_t slots;           // samples of a record
  bool evenly;  // samples stand at equal distances, which suits short pieces; else dense where it bends
  // Returns a frame at bind of which the skin of the place is across x.
  std::function<Affine(std::size_t piece, float at)> place;
  // Return M^R and M^D, in a strong pose.
  std::function<Affine(std::size_t piece, float at)> rest;
  std::function<Affine(std::size_t pose, std::size_t piece, float at)> posed;
};

// Returns the samples of each piece as fractions of it, ascending from 0 to 1: a multiple of `slots`, at most 512, or
// none without skin. The table then moves no point within reach of a place by more than `error` metres from where its
// own entry would, in each of the strong poses. Between samples h apart it is off by at most h^2 / 8 times the second
// derivative of the moved point, so samples stand at equal steps of the integral of the square root of that, or all as
// near as its largest value asks for.
std::vector<std::vector<float>> place_samples(const Sampled& sampled, float error);

// Returns the same for the bones of a curve.
std::vector<std::vector<float>> place_samples(const Curve& curve, std::span<const float> reach, float error,
                                              std::span<const glm::dmat4> at_bind);

}  // namespace pelt::chain
