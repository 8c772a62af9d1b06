// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/pieces.h"

#include <algorithm>

namespace pelt {

void cover_pieces(std::vector<MeshPart>& parts, std::span<const std::uint32_t> source_triangle) {
  const auto first_of = [&](std::uint32_t source) {
    const auto found = std::lower_bound(source_triangle.begin(), source_triangle.end(), source);
    return static_cast<std::uint32_t>(found - source_triangle.begin());
  };
  for (MeshPart& part : parts) {
    const std::uint32_t end = first_of(part.first_triangle + part.triangle_count);
    part.first_triangle = first_of(part.first_triangle);
    part.triangle_count = end - part.first_triangle;
  }
}

}  // namespace pelt
