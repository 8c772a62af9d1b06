// SPDX-License-Identifier: MIT
#include "engine/skeletonize/closed_parts.h"

#include <algorithm>

#include "engine/geometry/parts.h"

namespace pelt::skeletonize {

ClosedParts find_closed_parts(const Mesh& mesh) {
  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  const std::vector<std::uint32_t> first = weld_by_position(mesh.positions);
  std::vector<glm::uvec3> triangles;
  for (const glm::uvec3 t : mesh.triangles) {
    const glm::uvec3 welded(first[t.x], first[t.y], first[t.z]);
    if (welded.x != welded.y && welded.y != welded.z && welded.z != welded.x) triangles.push_back(welded);
  }
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (const glm::uvec3 t : triangles) {
    for (int corner = 0; corner < 3; ++corner) edges.push_back(std::minmax({t[corner], t[(corner + 1) % 3]}));
  }
  std::sort(edges.begin(), edges.end());
  const std::vector<std::uint32_t> part = connected_parts(mesh.positions.size(), triangles);

  ClosedParts result;
  std::vector<bool> is_open(mesh.positions.size(), false);  // by the lowest vertex of each part
  for (auto run = edges.begin(); run != edges.end();) {
    const auto next = std::find_if(run, edges.end(), [&](const Edge& edge) { return edge != *run; });
    if ((next - run) % 2 != 0) {
      is_open[part[run->first]] = true;
      if (!result.open_edge) result.open_edge = *run;
    }
    run = next;
  }
  std::vector<bool> counted(mesh.positions.size(), false);
  for (const glm::uvec3 t : triangles) {
    const std::uint32_t own = part[t.x];
    (is_open[own] ? result.open : result.closed).push_back(t);
    if (counted[own]) continue;
    counted[own] = true;
    ++(is_open[own] ? result.open_count : result.closed_count);
  }
  return result;
}

}  // namespace pelt::skeletonize
