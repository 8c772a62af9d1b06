// SPDX-License-Identifier: MIT
// The frame mathematics of shaders/, under the names that the engine uses.
#pragma once

#include <pelt/shaders/frame.h>

namespace pelt {

using shared::Affine;
using shared::affine_axes;
using shared::affine_compose;
using shared::affine_from_axes;
using shared::affine_from_mat4;
using shared::affine_identity;
using shared::affine_origin;
using shared::cofactor;
using shared::normalize_or;
using shared::transform_point;
using shared::transform_vector;

}  // namespace pelt
