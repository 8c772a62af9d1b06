// SPDX-License-Identifier: MIT
// Affine matrices in double precision, as importers meet them.
#pragma once

#include <glm/glm.hpp>
#include <optional>

#include "engine/model/skeleton.h"

namespace pelt {

// Whether every entry fits single precision, since floats are what is made of them.
bool is_finite(const glm::dmat4& m);

// Whether the inverse of an affine matrix has a meaning in floats.
bool is_invertible(const glm::dmat4& m);

// translation * rotation * scale.
glm::dmat4 to_matrix(const Transform& transform);

// The translation, rotation and scale that give `matrix`, where there are such.
std::optional<Transform> decompose(const glm::dmat4& matrix);

}  // namespace pelt
