// SPDX-License-Identifier: MIT
// Affine matrices in double precision, for importers.
#pragma once

#include <glm/glm.hpp>
#include <optional>

#include <pelt/skeleton.h>

namespace pelt {

// Returns true if every entry fits single precision: models hold floats.
bool fits_float(const glm::dmat4& m);

// Returns true if an affine matrix has an inverse that is meaningful in floats.
bool is_invertible(const glm::dmat4& m);

// Returns true if a frame has its origin within kMaxCoordinate, and axes of lengths between 1 / kMaxCoordinate and
// kMaxCoordinate.
bool is_near_frame(const glm::dmat4& frame);

// Returns true if an inverse bind matrix has numbers within kMaxCoordinate, and the frame that it stands for is near,
// or there is none since the matrix has no inverse.
bool binds_near(const glm::dmat4& inverse_bind);

// Returns translation * rotation * scale.
glm::dmat4 to_matrix(const Transform& transform);

// Returns the translation, rotation and scale whose product is `matrix`, or none if there are no such.
std::optional<Transform> decompose(const glm::dmat4& matrix);

}  // namespace pelt
