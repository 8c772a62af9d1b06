// SPDX-License-Identifier: MIT
// The form in which crowds take and store joints.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <span>

#include <pelt/finite.h>
#include <pelt/shaders/frame.h>

namespace pelt::runtime {

// A crowd stores the upper three rows of a joint's matrix.
inline constexpr std::size_t kJointFloats = sizeof(shared::Affine) / sizeof(float);

inline glm::mat4 matrix_of(const glm::mat4& joint) { return joint; }
inline glm::mat4 matrix_of(const shared::Affine& rows) { return glm::mat4(glm::transpose(rows)); }

// Write joints in the crowd's form. Shape: floats.size() == kJointFloats * joints.size().
void write_joints(std::span<const glm::mat4> joints, std::span<float> floats);
void write_joints(std::span<const shared::Affine> joints, std::span<float> floats);

// Return whether a crowd accepts a joint, a point or a number: NaN, infinity and values beyond kMaxCoordinate would
// spoil later frames too. The last row of a matrix is not read.
inline bool is_usable(const glm::mat4& joint) { return is_near(glm::mat4x3(joint)); }
inline bool is_usable(const shared::Affine& rows) { return is_near(rows); }
inline bool is_usable(const glm::vec3& point) { return is_near(point); }
inline bool is_usable(float value) { return is_near(value); }

// Returns the index of the first value that a crowd does not accept; values.size() if it accepts all.
template <class Value>
std::size_t first_unusable(std::span<const Value> values) {
  std::size_t i = 0;
  while (i < values.size() && is_usable(values[i])) ++i;
  return i;
}

// Returns thread-local memory for matrices, valid until the thread's next call. Allocates only to grow.
std::span<glm::mat4> scratch_matrices(std::size_t count);

}  // namespace pelt::runtime
