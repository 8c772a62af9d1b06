// SPDX-License-Identifier: MIT
#include "engine/authoring/skeletonize/closed_parts.h"

#include <algorithm>

#include <pelt/tools/mesh_parts.h>

namespace pelt::skeletonize {

ClosedParts find_closed_parts(const Mesh& mesh) {
  const std::vector<std::uint32_t> first = weld_by_position(mesh.positions);
  std::vector<glm::uvec3> triangles = welded_triangles(first, mesh.triangles);
  std::erase_if(triangles, [](glm::uvec3 t) { return t.x == t.y || t.y == t.z || t.z == t.x; });
  const std::vector<MeshEdge> edges = edge_uses(triangles);
  const std::vector<std::uint32_t> part_of = connected_parts(mesh.positions.size(), triangles);

  ClosedParts result;
  std::vector<bool> is_open(mesh.positions.size(), false);  // by the lowest vertex of each part
  for (auto run = edges.begin(); run != edges.end();) {
    const auto next = std::find_if(run, edges.end(), [&](const MeshEdge& edge) { return edge != *run; });
    if ((next - run) % 2 != 0) {
      is_open[part_of[run->first]] = true;
      if (!result.open_edge) result.open_edge = *run;
    }
    run = next;
  }
  std::vector<bool> counted(mesh.positions.size(), false);
  for (const glm::uvec3 t : triangles) {
    const std::uint32_t part = part_of[t.x];
    (is_open[part] ? result.open : result.closed).push_back(t);
    if (counted[part]) continue;
    counted[part] = true;
    ++(is_open[part] ? result.open_count : result.closed_count);
  }
  return result;
}

}  // namespace pelt::skeletonize
