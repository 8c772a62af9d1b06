// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <pelt/rig.h>

#include "engine/deformer/builder.h"

namespace pelt::action_line {

// A muscle's mesh, bound to its line as skin to a curve (Yang et al. 2006, "Muscle Deformation"; docs/mathematics.md
// section 2). `line` is its control points and side vertex, `control_mesh` the same in the builder; adds the pass that
// poses the line.
MeshBinding bind(const Muscle& muscle, const Mesh& mesh, const Mesh& line, std::size_t control_mesh, unsigned threads,
                 CharacterBuilder& builder);

}  // namespace pelt::action_line
