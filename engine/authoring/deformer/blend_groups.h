// SPDX-License-Identifier: MIT
// The groups of influences of a mesh (docs/mathematics.md section 0): lays layers with local points over each other,
// and prepares groups for packing.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/sparse_rows.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt {

// Lays one layer over another if either may have offset groups. Multiplies the fractions of `below` by 1 - mask_i and
// those of `above` by mask_i, and merges the `rows` of both in proportion to the fractions that their offset groups
// leave. Drops groups without a fraction. Precondition: both are kLinear and not combined as in Wires. The other
// members of `below` stay. `mask_gradient`: per vertex, or empty.
void lay_groups_over(MeshBinding& below, MeshBinding above, std::span<const float> mask,
                     std::span<const glm::vec3> mask_gradient);

bool has_gradients(const MeshBinding& binding);

// Returns the binding of some of a mesh's vertices, in their order.
MeshBinding binding_of(const MeshBinding& whole, std::span<const std::uint32_t> vertices);

// The arguments of pack for a mesh. The group with the rest position comes first, if any vertex uses it.
struct BlendGroups {
  std::vector<SparseRows> rows;
  std::vector<std::vector<glm::vec4>> local_points;  // for each group; fractions sum to 1. Empty: rest positions
};

// Moves the rows and groups out of the binding. Each deformer that is combined as in Wires becomes one group.
BlendGroups take_groups(MeshBinding& binding, std::span<const glm::vec3> rest_positions);

}  // namespace pelt
