// SPDX-License-Identifier: MIT
// The groups of influences of a mesh (docs/mathematics.md section 0): local points beside the rest position, layer over
// layer, and as pack takes them.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/sparse_rows.h>

#include "engine/deformer/builder.h"

namespace pelt {

// Two layers, one over the other, of which either may have offset groups: shares of `below` times 1 - mask_i, those of
// `above` times mask_i, and the rows of both rest groups merged by what they have of the rest group's share. Groups
// that nothing is left of are dropped. Precondition: both are kLinear and not combined as in Wires. The remaining
// members of `below` stay. `mask_gradient`: of the mask at each vertex, or empty.
void lay_groups_over(MeshBinding& below, MeshBinding above, std::span<const float> mask,
                     std::span<const glm::vec3> mask_gradient);

bool has_gradients(const MeshBinding& binding);

// The binding of some of a mesh's vertices, in their order.
MeshBinding binding_of(const MeshBinding& whole, std::span<const std::uint32_t> vertices);

// What pack is given of a mesh: the group of the rest position first, if it has a share anywhere.
struct BlendGroups {
  std::vector<SparseRows> rows;
  std::vector<std::vector<glm::vec4>> local_points;  // of each group, shares that sum to 1; empty: the rest position
};

// Moves the rows and groups out of the binding. Deformers combined as in Wires are a group each.
BlendGroups take_groups(MeshBinding& binding, std::span<const glm::vec3> rest_positions);

}  // namespace pelt
