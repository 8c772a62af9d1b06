// SPDX-License-Identifier: MIT
#include "runtime/plan/joints.h"

#include <cassert>
#include <cstring>
#include <vector>

namespace pelt::runtime {

void write_joints(std::span<const glm::mat4> joints, std::span<float> floats) {
  assert(floats.size() == joints.size() * kJointFloats);
  float* to = floats.data();
  for (const glm::mat4& joint : joints) {
    const shared::Affine rows = shared::affine_from_mat4(joint);
    std::memcpy(to, &rows, sizeof(rows));
    to += kJointFloats;
  }
}

void write_joints(std::span<const shared::Affine> joints, std::span<float> floats) {
  assert(floats.size_bytes() == joints.size_bytes());
  if (!joints.empty()) std::memcpy(floats.data(), joints.data(), joints.size_bytes());
}

std::span<glm::mat4> scratch_matrices(std::size_t count) {
  thread_local std::vector<glm::mat4> matrices;
  if (matrices.size() < count) matrices.resize(count);
  return std::span(matrices).first(count);
}

}  // namespace pelt::runtime
