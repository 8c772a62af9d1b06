// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/mesh.h>

namespace pelt::surface_ffd {

struct Refined {
  Mesh mesh;
  std::vector<glm::uvec2> parents;             // of every vertex after the old ones: it lies midway between these two
  std::vector<std::uint32_t> source_triangle;  // for every triangle the old one that it is a part of
};

// Splits the chosen triangles (not 0; one value a triangle) into four at the middles of their edges, and others that
// have split edges so that there are no cracks: one edge makes two triangles, two make three, three make four. Edges at
// the same place are split together, whichever vertices they have. Everything else stays as it is, old vertices in
// their order and triangles in the order of those that they come from. New vertices have the means of their parents'
// values; morph targets and attributes are left out. A mesh need not be manifold.
Refined refine(const Mesh& mesh, std::span<const std::uint8_t> chosen);

}  // namespace pelt::surface_ffd
