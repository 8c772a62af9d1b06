// SPDX-License-Identifier: MIT
// Affine matrices in double precision, as importers meet them.
#pragma once

#include <glm/glm.hpp>
#include <optional>

#include <pelt/skeleton.h>

namespace pelt {

// Whether every entry fits single precision, since floats are what is made of them.
bool fits_float(const glm::dmat4& m);

// Whether the inverse of an affine matrix has a meaning in floats.
bool is_invertible(const glm::dmat4& m);

// Whether a frame has its origin within kFarthest, and axes of lengths between 1 / kFarthest and kFarthest.
bool is_near_frame(const glm::dmat4& frame);

// Whether the frame that an inverse bind matrix gives is near; true where the matrix has no inverse, and so gives none.
bool binds_near(const glm::dmat4& inverse_bind);

// translation * rotation * scale.
glm::dmat4 to_matrix(const Transform& transform);

// The translation, rotation and scale that give `matrix`, where there are such.
std::optional<Transform> decompose(const glm::dmat4& matrix);

}  // namespace pelt
