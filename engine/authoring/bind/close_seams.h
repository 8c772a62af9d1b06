// SPDX-License-Identifier: MIT
// Seams that quantised positions leave a little open.
#pragma once

#include <optional>

#include <pelt/model.h>

namespace pelt {

// Returns the model with closed seams, for deformers that carry skin by its position: a border vertex takes the
// position of the closest one before it that stays, is painted alike, and is within a thousandth of the size and a
// quarter of their shortest edges. Compressed files quantise each primitive by itself. Returns none if all seams are
// closed.
std::optional<Model> with_closed_seams(const Model& model);

}  // namespace pelt
