// SPDX-License-Identifier: MIT
// Compares GPU and CPU, with the project's tolerances.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/read_back.h>

namespace pelt::test {

// Both back ends evaluate the same streams by the same formulas in float. They differ in the order of operations, in
// fused multiply-adds, and in divisions and square roots, which a GPU may round by 2.5 units. The rounded numbers are
// of the size of the character, or of its distance from the origin if that is larger: its reach. 3e-5 of the reach is
// 250 units in the last digit: enough for joint, inverse bind and up to 32 blended frames, twice if a driver lies
// between, and for dual quaternions of joints that are turned far apart, whose sum is short and magnifies its rounding.
constexpr float kPositionTolerance = 3e-5f;

// In radians. The GPU stores normals in 2 x 16 bits (at most 0.004 degrees = 7e-5), tangents with one bit less. A joint
// that linear blend flattens magnifies the rounding of its frame, since the normal comes from products of the small
// remainders.
constexpr float kDirectionTolerance = 1e-3f;

// Some driver elements need more. The frame of a driver triangle carries the rounding of its corners to points many
// edges away, and turns the more the smaller the triangle is; so do estimated frames and those of patches. Each vertex
// may differ by the sum of these magnifications over its influences, times so many ULP of the reach.
constexpr float kMagnifiedUnits = 4.0f * 1.2e-7f;

// If a pose flattens an estimated frame or a patch's frame, or collapses a triangle, its third axis scales with the
// square root of an area that is only rounding.
constexpr float kFlattenedTolerance = 1e-2f;

// Requirements on normals and tangents. If a pose flattens the frames of drivers, rounding decides their direction, and
// only kUnit can be required.
enum class Directions {
  kEqual,      // equal to the CPU's
  kUnit,       // finite, unit length
  kFlattened,  // as kUnit, and positions are within kFlattenedTolerance
};

// Returns the angle between two directions, in radians; exact for small angles too.
float angle(glm::vec3 a, glm::vec3 b);

// Returns by how many steps, at most, the tension of skins differs from that of their positions on the CPU.
int steps_off(const CharacterData& data, const runtime::InstanceVertices& vertices);

// Runs one crowd with an instance for each of `poses` (joint matrices, as Crowd::pose takes them) and an Evaluator on
// each pose. Fails the test, with `what` in the message, if they differ or are not finite. Instances from the second on
// have streams and controls of their own.
void expect_gpu_equals_cpu(const runtime::Device& device, const Character& character,
                           std::span<const std::vector<glm::mat4>> poses, const std::string& what,
                           Directions directions = Directions::kEqual);

}  // namespace pelt::test
