// SPDX-License-Identifier: MIT
// GPU = CPU, with the tolerance of the project.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/runtime/device.h>

namespace pelt::test {

// Both back ends evaluate the same streams by the same formulas in float, and differ in the order of operations, in
// fused multiply-adds, and in divisions and square roots that a GPU may round by 2.5 units. What is rounded is of the
// size of the character, or of its distance from the origin where that is larger: its reach. 3e-5 of the reach is 250
// units in the last place: room for joint, inverse bind and up to 32 blended frames, twice where a driver lies between,
// and for dual quaternions of joints that are turned far apart, whose sum is short and magnifies its rounding.
constexpr float kPositionTolerance = 3e-5f;

// Radians. The GPU stores normals in 2 x 16 bits (at most 0.004 degrees = 7e-5), tangents with one bit less. A joint
// that linear blend flattens magnifies the rounding of its frame: the normal comes from products of what is left of it.
constexpr float kDirectionTolerance = 1e-3f;

// Some elements ask for more: the frame of a driver triangle carries the rounding of its corners to points many edges
// away, and turns by it the more the smaller the triangle is; so do estimated frames and those of patches. Each vertex
// is allowed the sum over its influences of what these magnify, times this many units in the last place of the reach.
constexpr float kMagnifiedUnits = 4.0f * 1.2e-7f;

// Where a pose flattens an estimated frame or one of a patch, its third axis scales with the square root of an area
// that is rounding alone.
constexpr float kFlattenedTolerance = 1e-2f;

// What normals and tangents must be. Where a pose flattens the frames of drivers, their direction hangs on rounding,
// and only kUnit can be asked.
enum class Directions {
  kEqual,      // to the CPU's
  kUnit,       // finite, unit length
  kFlattened,  // the same, and positions are within kFlattenedTolerance
};

// Runs one crowd with an instance for each of `poses` (joint matrices, as Crowd::pose takes them) and an Evaluator on
// each pose, and fails the test where they differ or are not finite; `what` is said then. Instances from the second on
// have streams and controls of their own.
void expect_gpu_equals_cpu(const runtime::Device& device, const Character& character,
                           std::span<const std::vector<glm::mat4>> poses, const std::string& what,
                           Directions directions = Directions::kEqual);

}  // namespace pelt::test
