// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/from_skin/shown_surface.h"

#include <algorithm>

namespace pelt::from_skin {

std::span<const Influence> ShownSurface::weights(std::uint32_t vertex) const {
  const auto after = std::upper_bound(parts.begin(), parts.end(), vertex,
                                      [](std::uint32_t v, const Part& part) { return v < part.first_vertex; });
  const Part& part = *(after - 1);
  if (part.weights->row_count() == 0) return {};
  return part.weights->row(vertex - part.first_vertex);
}

ShownSurface shown_surface(const DeformerInput& input, bool with_weights) {
  ShownSurface surface;
  for (const DeformerTarget& target : full_detail(input)) {
    const Mesh& mesh = mesh_of(input, target);
    if (mesh.positions.empty() || (with_weights && mesh.weights.row_count() == 0)) continue;
    const auto first = static_cast<std::uint32_t>(surface.mesh.positions.size());
    surface.parts.push_back({first, &mesh.weights});
    surface.mesh.positions.insert(surface.mesh.positions.end(), mesh.positions.begin(), mesh.positions.end());
    surface.mesh.triangles.reserve(surface.mesh.triangles.size() + mesh.triangles.size());
    for (const glm::uvec3 t : mesh.triangles) {
      if (target.mask[t.x] + target.mask[t.y] + target.mask[t.z] > 0) surface.mesh.triangles.push_back(t + first);
    }
  }
  return surface;
}

}  // namespace pelt::from_skin
