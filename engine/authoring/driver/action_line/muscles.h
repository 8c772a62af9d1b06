// SPDX-License-Identifier: MIT
// Adds the muscles of a rig to the model as meshes, before layers are planned and bound over them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt {

// Indices in Model::meshes.
struct MuscleMeshes {
  std::size_t line = 0;  // mesh of the control points, then one or two side vertices; no triangles
  std::size_t mesh = 0;
  bool wrings = false;  // two side vertices
};

inline bool is_muscle(std::span<const MuscleMeshes> muscles, std::size_t mesh) {
  return std::ranges::find(muscles, mesh, &MuscleMeshes::mesh) != muscles.end();
}

struct ModelWithMuscles {
  Model model;
  std::vector<MuscleMeshes> muscles;  // one per muscle of the rig
};

// Returns the model with the meshes of the rig's muscles after its own. A line's weights fix its ends to their joints;
// between them, the weights choose the joints whose curves it may follow. Errors name the muscle: kNotFound for a joint
// or mesh that does not exist; kInvalidArgument for a name that is empty or taken, a line without length, points that
// do not ascend or are too many, a number out of range.
Result<ModelWithMuscles> add_muscles(const Model& model, const Rig& rig);

// Binds a muscle's mesh to its line as skin to a curve (Yang et al. 2006, "Muscle Deformation"; docs/mathematics.md
// section 2). `line` holds its control points and the side vertex; `control_mesh` is its index in the builder. Adds the
// pass that poses the line.
MeshBinding bind_muscle(const Muscle& muscle, const Mesh& mesh, const Mesh& line, std::size_t control_mesh,
                        unsigned threads, CharacterBuilder& builder);

}  // namespace pelt
