// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <pelt/rig.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt::action_line {

// Binds a muscle's mesh to its line as skin to a curve (Yang et al. 2006, "Muscle Deformation"; docs/mathematics.md
// section 2). `line` holds its control points and the side vertex, `control_mesh` is the same mesh's number in the
// builder. Adds the pass that poses the line.
MeshBinding bind(const Muscle& muscle, const Mesh& mesh, const Mesh& line, std::size_t control_mesh, unsigned threads,
                 CharacterBuilder& builder);

}  // namespace pelt::action_line
