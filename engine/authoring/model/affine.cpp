// SPDX-License-Identifier: MIT
#include "engine/authoring/model/affine.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_inverse.hpp>
#include <glm/gtc/quaternion.hpp>
#include <limits>

#include <pelt/finite.h>

namespace pelt {
namespace {

// Returns true if the axes of an affine matrix lie in a plane, or have no length.
bool is_singular(const glm::dmat4& m) {
  const glm::dmat3 axes(m);
  const double lengths = glm::length(axes[0]) * glm::length(axes[1]) * glm::length(axes[2]);
  return !(lengths > 0 && std::abs(glm::determinant(axes)) > 1e-9 * lengths);
}

}  // namespace

bool fits_float(const glm::dmat4& m) {
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 4; ++r) {
      if (!(std::abs(m[c][r]) <= std::numeric_limits<float>::max())) return false;
    }
  }
  return true;
}

bool is_invertible(const glm::dmat4& m) {
  return fits_float(m) && !is_singular(m) && fits_float(glm::affineInverse(m));
}

bool is_near_frame(const glm::dmat4& frame) {
  for (int axis = 0; axis < 3; ++axis) {
    const double length = glm::length(glm::dvec3(frame[axis]));
    if (!(length <= kMaxCoordinate && length * kMaxCoordinate >= 1)) return false;
  }
  return is_near(glm::dvec3(frame[3]));
}

bool binds_near(const glm::dmat4& inverse_bind) {
  return is_near(inverse_bind) && (is_singular(inverse_bind) || is_near_frame(glm::affineInverse(inverse_bind)));
}

glm::dmat4 to_matrix(const Transform& transform) {
  glm::dmat4 matrix = glm::mat4_cast(glm::normalize(glm::dquat(transform.rotation)));
  for (int axis = 0; axis < 3; ++axis) matrix[axis] *= static_cast<double>(transform.scale[axis]);
  matrix[3] = glm::dvec4(transform.translation, 1.0);
  return matrix;
}

std::optional<Transform> decompose(const glm::dmat4& matrix) {
  glm::dmat3 axes(matrix);
  glm::dvec3 scale(glm::length(axes[0]), glm::length(axes[1]), glm::length(axes[2]));
  if (!(std::min({scale.x, scale.y, scale.z}) > 0)) return std::nullopt;
  if (glm::determinant(axes) < 0) scale.x = -scale.x;
  for (int axis = 0; axis < 3; ++axis) axes[axis] /= scale[axis];
  const Transform result{.translation = glm::vec3(matrix[3]),
                         .rotation = glm::quat(glm::normalize(glm::quat_cast(axes))),
                         .scale = glm::vec3(scale)};
  // Files have about six digits: a shear of that size is only rounding.
  constexpr double kTolerance = 1e-5;
  const glm::dmat4 recomposed = to_matrix(result);
  for (int axis = 0; axis < 3; ++axis) {
    const double length = std::abs(scale[axis]);
    if (glm::length(glm::dvec3(recomposed[axis] - matrix[axis])) > kTolerance * length) return std::nullopt;
  }
  return result;
}

}  // namespace pelt
