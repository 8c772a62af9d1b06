// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/mesh.h>

namespace pelt {

// Changes the parts of a mesh to cover the triangles that their old triangles were cut into. source_triangle has the
// old triangle of every new one, ascending; an old triangle of which nothing is left does not appear.
void cover_pieces(std::vector<MeshPart>& parts, std::span<const std::uint32_t> source_triangle);

}  // namespace pelt
