// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/mesh.h>

namespace pelt {

// Changes the parts of a mesh to cover the triangles into which their old triangles were cut. source_triangle has the
// old triangle of every new one, ascending; an old triangle that was dropped does not appear.
void cover_pieces(std::vector<MeshPart>& parts, std::span<const std::uint32_t> source_triangle);

}  // namespace pelt
