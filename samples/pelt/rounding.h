// SPDX-License-Identifier: MIT
// How far two results of one computation are apart, and what of them is up to rounding.
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

// Devices round otherwise than the CPU. What so little in joints and drivers moves by much of what is allowed is up to
// rounding, and no device can be held to it: the frame of a triangle that has collapsed, the turn of a joint that is
// scaled to nothing.
inline constexpr float kShake = 0x1p-20f;
inline bool is_up_to_rounding(double shift, double allowed) { return shift > allowed / 4; }

// Returns the pose with each number of its joints and streamed drivers moved by kShake of the largest that it is
// computed with; `side`: 1, or -1 for the other way.
InstancePose shaken(const Character& character, InstancePose pose, float side);
// Returns points that are moved by kShake of their distance from the origin.
std::vector<glm::vec3> shaken(std::span<const glm::vec3> points, float side);

// Farther than all else: what is finite on one side alone.
inline constexpr double kNoNumber = std::numeric_limits<double>::infinity();

bool is_finite(glm::vec3 v);
// What is finite on neither side is the same.
double distance_between(glm::vec3 a, glm::vec3 b);
double degrees_between(glm::vec3 a, glm::vec3 b);

using EntryNumbers = std::span<const float, 12>;
EntryNumbers numbers_of(const Affine& entry);
// Returns the largest of the numbers that are finite, at least 1.
double largest_of(EntryNumbers numbers);

// The numbers of a palette entry that hold quaternions: with all their signs changed they turn the same.
struct Quaternions {
  std::size_t first = 0;
  std::size_t count = 0;
};
Quaternions quaternions_of(PoseKernel kernel, std::size_t entry);
double distance_between(EntryNumbers a, EntryNumbers b, Quaternions quaternions);

}  // namespace pelt::samples
