// SPDX-License-Identifier: MIT
// The motions of joints in the forms that crowds take (pelt/shaders/joints.h).
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <span>

#include <pelt/finite.h>
#include <pelt/runtime/crowd.h>
#include <pelt/shaders/joints.h>

namespace pelt::runtime {

constexpr std::size_t joint_floats(JointFormat format) {
  switch (format) {
    case JointFormat::kMatrix4:
      return sizeof(glm::mat4) / sizeof(float);
    case JointFormat::kMatrix3x4:
      return sizeof(shared::Affine) / sizeof(float);
    case JointFormat::kTransform:
      return sizeof(shared::JointTransform) / sizeof(float);
  }
  return 0;
}

// Writes joints in a format; a matrix is written as a transform without its shear. Shape: floats.size() ==
// joint_floats(format) * joints.size(). Defined for glm::mat4, shared::Affine and shared::JointTransform.
template <class Joint>
void write_joints(std::span<const Joint> joints, JointFormat format, std::span<float> floats);

// Whether a crowd takes a joint, a point or a number: NaN, infinity and what is beyond kMaxCoordinate would spoil more
// than the frame that they are given for. Of a matrix the last row is not read.
inline bool is_usable(const glm::mat4& joint) { return is_near(glm::mat4x3(joint)); }
inline bool is_usable(const shared::Affine& rows) { return is_near(rows); }
inline bool is_usable(const shared::JointTransform& joint) {
  return is_near(joint.rotation) && is_near(joint.translation) && is_near(joint.scale);
}
inline bool is_usable(const glm::vec3& point) { return is_near(point); }
inline bool is_usable(float value) { return is_near(value); }

// Returns the index of the first that a crowd does not take; values.size(): it takes all.
template <class Value>
std::size_t first_unusable(std::span<const Value> values) {
  std::size_t i = 0;
  while (i < values.size() && is_usable(values[i])) ++i;
  return i;
}

// Returns memory for matrices that is the thread's own, until the next call; grows, and then allocates no more.
std::span<glm::mat4> scratch_matrices(std::size_t count);

}  // namespace pelt::runtime
