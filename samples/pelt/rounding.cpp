// SPDX-License-Identifier: MIT
#include "samples/pelt/rounding.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace pelt::samples {

namespace {

class Shake {
 public:
  explicit Shake(float side) : side_(side) {}

  void operator()(float& number, float largest) {
    number += (random_() > std::minstd_rand::max() / 2 ? side_ : -side_) * kShake * largest;
  }

 private:
  float side_;
  std::minstd_rand random_;
};

}  // namespace

InstancePose shaken(const Character& character, InstancePose pose, float side) {
  Shake shake(side);
  const auto size = static_cast<float>(character.size());
  for (glm::mat4& joint : pose.joints) {
    float axes = 0;
    float origin = size;
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) axes = std::max(axes, std::abs(joint[column][row]));
      origin = std::max(origin, std::abs(joint[3][row]));
    }
    if (axes == 0) axes = 1;  // any axis will do
    for (int column = 0; column < 4; ++column) {
      for (int row = 0; row < 3; ++row) shake(joint[column][row], column < 3 ? axes : origin);
    }
  }
  for (const Stream& stream : character->streams) {
    const std::size_t count = std::size_t{3} * character->meshes[stream.mesh].vertex_count();
    for (float& number : std::span(pose.inputs).subspan(stream.first_input, count)) {
      shake(number, std::max(std::abs(number), size));
    }
  }
  return pose;
}

std::vector<glm::vec3> shaken(std::span<const glm::vec3> points, float side) {
  Shake shake(side);
  std::vector<glm::vec3> moved(points.begin(), points.end());
  for (glm::vec3& point : moved) {
    const float away = glm::length(point);
    for (int axis = 0; axis < 3; ++axis) shake(point[axis], away);
  }
  return moved;
}

bool is_finite(glm::vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

double distance_between(glm::vec3 a, glm::vec3 b) {
  if (!is_finite(a) && !is_finite(b)) return 0;
  return is_finite(a) && is_finite(b) ? glm::distance(glm::dvec3(a), glm::dvec3(b)) : kNoNumber;
}

double degrees_between(glm::vec3 a, glm::vec3 b) {
  if (!is_finite(a) || !is_finite(b)) return distance_between(a, b);
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

EntryNumbers numbers_of(const Affine& entry) { return EntryNumbers(&entry[0].x, 12); }

double largest_of(EntryNumbers numbers) {
  double largest = 1;
  for (const float number : numbers) {
    if (std::isfinite(number)) largest = std::max(largest, std::abs(static_cast<double>(number)));
  }
  return largest;
}

Quaternions quaternions_of(PoseKernel kernel, std::size_t entry) {
  if (kernel == PoseKernel::kDualQuaternion && entry % 2 == 0) return {0, 8};
  if (kernel == PoseKernel::kAnchor) return {4, 4};
  return {};
}

double distance_between(EntryNumbers a, EntryNumbers b, Quaternions quaternions) {
  const auto off = [](double one, double other) {
    if (!std::isfinite(one) && !std::isfinite(other)) return 0.0;
    return std::isfinite(one) && std::isfinite(other) ? std::abs(one - other) : kNoNumber;
  };
  double rest = 0;
  double same = 0;
  double opposite = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i < quaternions.first || i >= quaternions.first + quaternions.count) {
      rest = std::max(rest, off(a[i], b[i]));
    } else {
      same = std::max(same, off(a[i], b[i]));
      opposite = std::max(opposite, off(a[i], -b[i]));
    }
  }
  return std::max(rest, std::min(same, opposite));
}

}  // namespace pelt::samples
