// SPDX-License-Identifier: MIT
// The motions of joints in the forms that crowds take (pelt/shaders/joints.h).
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <span>

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

// Returns memory for matrices that is the thread's own, until the next call; grows, and then allocates no more.
std::span<glm::mat4> scratch_matrices(std::size_t count);

}  // namespace pelt::runtime
