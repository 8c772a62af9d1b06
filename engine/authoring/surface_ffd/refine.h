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
  std::vector<glm::uvec2> parents;             // for every new vertex the two old ones that it lies midway between
  std::vector<std::uint32_t> source_triangle;  // for every triangle the old one that it is a part of
};

// Splits the chosen triangles (not 0; one value per triangle) into four at the middles of their edges. Their neighbours
// are split so that there are no cracks: one split edge makes two triangles, two make three, three make four.
// Coincident edges are split together, whichever vertices they have. Everything else stays: old vertices keep their
// order, and triangles have the order of those that they come from. New vertices have the means of their parents'
// values; morph targets and attributes are left out. A mesh need not be manifold.
Refined refine(const Mesh& mesh, std::span<const std::uint8_t> chosen);

}  // namespace pelt::surface_ffd
