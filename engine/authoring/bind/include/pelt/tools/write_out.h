// SPDX-License-Identifier: MIT
// Writes surfaces that bind makes from a skin into the rig, so that an artist can edit them.
#pragma once

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

// Returns the rig with the surfaces that bind makes from the skin of `model`, if parameters can describe them: the base
// of a hierarchical B-spline, as by surface_with_base. Errors: those of bind that occur before the layers are bound.
Result<Rig> write_out(const Model& model, const Rig& rig);

}  // namespace pelt
