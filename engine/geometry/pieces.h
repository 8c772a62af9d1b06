// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/mesh.h>

namespace pelt {

// Makes the parts of a mesh cover the triangles that those they had were cut into: source_triangle names for every new
// triangle the old one, ascending; old ones that nothing is left of are not named.
void cover_pieces(std::vector<MeshPart>& parts, std::span<const std::uint32_t> source_triangle);

}  // namespace pelt
