// SPDX-License-Identifier: MIT
// Differences between two results of one computation, and the part of them that rounding decides.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <limits>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/frame.h>

#include "samples/pelt/input.h"

namespace pelt::samples {

// Devices and the CPU round differently. If so small a change of joints and drivers moves a result by much of the
// allowed difference, rounding decides that result and neither device is wrong: the frame of a collapsed triangle, the
// rotation of a joint with scale 0.
inline constexpr float kShake = 0x1p-20f;
inline bool is_up_to_rounding(double shift, double allowed) { return shift > allowed / 4; }

// Returns the pose with each number of its joints and streamed drivers moved by kShake of the largest number of its
// computation. `side`: 1 or -1.
InstancePose shaken(const Character& character, InstancePose pose, float side);
// Returns the points, moved by kShake of their distance from the origin.
std::vector<glm::vec3> shaken(std::span<const glm::vec3> points, float side);

// The greatest distance: between a finite and a non-finite value.
inline constexpr double kNoNumber = std::numeric_limits<double>::infinity();

bool is_finite(glm::vec3 v);
// Two non-finite values are equal.
double distance_between(glm::vec3 a, glm::vec3 b);
double degrees_between(glm::vec3 a, glm::vec3 b);

using EntryNumbers = std::span<const float, 12>;
EntryNumbers numbers_of(const Affine& entry);
// Returns the largest of the numbers that are finite, at least 1.
double largest_of(EntryNumbers numbers);

// The quaternions of a palette entry: negated, they are the same rotation.
struct Quaternions {
  std::size_t first = 0;
  std::size_t count = 0;
};
Quaternions quaternions_of(PoseKernel kernel, std::size_t entry);
double distance_between(EntryNumbers a, EntryNumbers b, Quaternions quaternions);

}  // namespace pelt::samples
