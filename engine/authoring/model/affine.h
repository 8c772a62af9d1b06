// SPDX-License-Identifier: MIT
// Affine matrices in double precision, for importers.
#pragma once

#include <glm/glm.hpp>
#include <optional>

#include <pelt/skeleton.h>

namespace pelt {

// Returns true if every entry fits single precision, the precision of models.
bool fits_float(const glm::dmat4& m);

// Returns true if an affine matrix has an inverse that is meaningful in floats.
bool is_invertible(const glm::dmat4& m);

// Returns true if a frame has its origin within kMaxCoordinate, and axes of lengths between 1 / kMaxCoordinate and
// kMaxCoordinate.
bool is_near_frame(const glm::dmat4& frame);

// Returns true if an inverse bind matrix has numbers within kMaxCoordinate and no inverse, or one that is a near frame.
bool binds_near(const glm::dmat4& inverse_bind);

// Returns translation * rotation * scale.
glm::dmat4 to_matrix(const Transform& transform);

// Returns the translation, rotation and scale whose product is `matrix`; none if there are none.
std::optional<Transform> decompose(const glm::dmat4& matrix);

}  // namespace pelt
