// SPDX-License-Identifier: MIT
#include "runtime/crowd_joints.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

#include "shaders/quaternion.h"

namespace pelt::runtime {
namespace {

using shared::Affine;
using shared::JointTransform;

glm::mat4 matrix_of(const glm::mat4& matrix) { return matrix; }
glm::mat4 matrix_of(const Affine& rows) { return shared::matrix_of_rows(rows); }
glm::mat4 matrix_of(const JointTransform& joint) { return shared::matrix_of_transform(joint); }

Affine rows_of(const glm::mat4& matrix) { return Affine(glm::transpose(matrix)); }
Affine rows_of(const Affine& rows) { return rows; }
Affine rows_of(const JointTransform& joint) { return rows_of(matrix_of(joint)); }

JointTransform transform_of(const glm::mat4& matrix) {
  const glm::mat3 axes(matrix);
  const glm::mat3 rotation = shared::orthonormal_axes(axes);
  glm::vec3 scale;
  for (int i = 0; i < 3; ++i) scale[i] = glm::dot(axes[i], rotation[i]);
  return {shared::quaternion_from_rotation(rotation), glm::vec3(matrix[3]), scale};
}
JointTransform transform_of(const Affine& rows) { return transform_of(matrix_of(rows)); }
JointTransform transform_of(const JointTransform& joint) { return joint; }

// Joints in the format that they are written in are copied at once.
template <class To, class From, class Convert>
void write_each(std::span<const From> joints, std::span<float> floats, const Convert& convert) {
  assert(floats.size_bytes() == joints.size() * sizeof(To));
  if constexpr (std::is_same_v<To, From>) {
    if (!joints.empty()) std::memcpy(floats.data(), joints.data(), joints.size_bytes());
  } else {
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const To made = convert(joints[j]);
      std::memcpy(static_cast<void*>(&floats[j * sizeof(To) / sizeof(float)]), &made, sizeof(made));
    }
  }
}

}  // namespace

template <class Joint>
void write_joints(std::span<const Joint> joints, JointFormat format, std::span<float> floats) {
  switch (format) {
    case JointFormat::kMatrix4:
      return write_each<glm::mat4>(joints, floats, [](const Joint& joint) { return matrix_of(joint); });
    case JointFormat::kMatrix3x4:
      return write_each<Affine>(joints, floats, [](const Joint& joint) { return rows_of(joint); });
    case JointFormat::kTransform:
      return write_each<JointTransform>(joints, floats, [](const Joint& joint) { return transform_of(joint); });
  }
}

template void write_joints(std::span<const glm::mat4>, JointFormat, std::span<float>);
template void write_joints(std::span<const Affine>, JointFormat, std::span<float>);
template void write_joints(std::span<const JointTransform>, JointFormat, std::span<float>);

std::span<glm::mat4> scratch_matrices(std::size_t count) {
  thread_local std::vector<glm::mat4> matrices;
  if (matrices.size() < count) matrices.resize(count);
  return std::span(matrices).first(count);
}

}  // namespace pelt::runtime
