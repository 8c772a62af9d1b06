// SPDX-License-Identifier: MIT
// Writes out what bind makes of a skin, so that an artist can edit it.
#pragma once

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

// Returns the rig with what bind makes of the skin of `model` written out, where parameters can hold it: the base of a
// hierarchical B-spline, as by surface_with_base. Errors: those of bind, as far as they are met before the layers are
// bound.
Result<Rig> write_out(const Model& model, const Rig& rig);

}  // namespace pelt
