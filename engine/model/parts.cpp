// SPDX-License-Identifier: MIT
#include "engine/model/parts.h"

#include <meshoptimizer.h>

#include <algorithm>
#include <numeric>

namespace pelt {

std::vector<std::uint32_t> weld_by_position(std::span<const glm::vec3> positions) {
  std::vector<glm::vec3> unsigned_zeros(positions.begin(), positions.end());
  for (glm::vec3& position : unsigned_zeros) position += 0.0f;
  std::vector<unsigned> unique(positions.size());
  const std::size_t count = meshopt_generateVertexRemap(unique.data(), nullptr, positions.size(), unsigned_zeros.data(),
                                                        positions.size(), sizeof(glm::vec3));
  std::vector<std::uint32_t> first(count);
  for (std::size_t i = positions.size(); i-- > 0;) first[unique[i]] = static_cast<std::uint32_t>(i);
  std::vector<std::uint32_t> result(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) result[i] = first[unique[i]];
  return result;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_both_ways(std::span<const std::uint32_t> welded,
                                                                     std::span<const glm::uvec3> triangles) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const glm::uvec3 t : triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      const std::uint32_t a = welded[t[corner]];
      const std::uint32_t b = welded[t[(corner + 1) % 3]];
      edges.emplace_back(a, b);
      edges.emplace_back(b, a);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<std::uint32_t> connected_parts(std::size_t vertex_count, std::span<const glm::uvec3> triangles) {
  std::vector<std::uint32_t> parent(vertex_count);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const glm::uvec3 t : triangles) {
    for (const std::uint32_t other : {t.y, t.z}) {
      const std::uint32_t a = root(t.x);
      const std::uint32_t b = root(other);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  for (std::uint32_t v = 0; v < vertex_count; ++v) parent[v] = root(v);
  return parent;
}

}  // namespace pelt
