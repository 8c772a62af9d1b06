// SPDX-License-Identifier: MIT
// The local points of a packed binding, and how they change with the rest position (docs/mathematics.md section 0.4).
#pragma once

#include <span>
#include <string>

#include <pelt/frame.h>
#include <pelt/pack.h>

namespace pelt {

// Appends local frames for the stored weights and gradients, unless none is needed. `at_bind`: as for pack.
void append_local_frames(std::span<const Affine> at_bind, PackedBinding& packed);

// The part of validate for local points and frames. Precondition: the slices are valid.
Result<void> validate_local_points(const PackedBinding& packed, Groups groups, const std::string& what);

}  // namespace pelt
