// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/refine.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <set>

#include <pelt/frame.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/geometry/pieces.h"

namespace pelt::surface_ffd {
namespace {

// Makes the middles of edges, one per edge.
class Middles {
 public:
  Middles(std::size_t vertex_count, std::vector<glm::uvec2>& parents)
      : vertex_count_(vertex_count), parents_(parents) {}

  std::uint32_t of(MeshEdge edge) {
    const auto next = static_cast<std::uint32_t>(vertex_count_ + parents_.size());
    const auto [found, inserted] = middles_.try_emplace(edge, next);
    if (inserted) parents_.emplace_back(edge.first, edge.second);
    return found->second;
  }

 private:
  std::size_t vertex_count_;
  std::vector<glm::uvec2>& parents_;
  std::map<MeshEdge, std::uint32_t> middles_;
};

// Splits a triangle at the middles of its split edges. MeshEdge i runs from corner i to the next.
void split(glm::uvec3 triangle, std::array<bool, 3> is_split, std::span<const glm::vec3> positions, Middles& middles,
           std::vector<glm::uvec3>& result) {
  const std::size_t count = static_cast<std::size_t>(std::ranges::count(is_split, true));
  if (count == 0) {
    result.push_back(triangle);
    return;
  }
  // Rotate the triangle so that its only split edge comes first, or its only whole edge last.
  while (!is_split[0] || (count == 2 && !is_split[1])) {
    std::rotate(is_split.begin(), is_split.begin() + 1, is_split.end());
    triangle = {triangle.y, triangle.z, triangle.x};
  }
  const auto [a, b, c] = std::array{triangle.x, triangle.y, triangle.z};
  const std::uint32_t ab = middles.of(edge_at(triangle, 0));
  if (count == 1) {
    result.insert(result.end(), {{a, ab, c}, {ab, b, c}});
    return;
  }
  const std::uint32_t bc = middles.of(edge_at(triangle, 1));
  if (count == 3) {
    const std::uint32_t ca = middles.of(edge_at(triangle, 2));
    result.insert(result.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    return;
  }
  result.emplace_back(ab, b, bc);
  const glm::dvec3 pa(positions[a]);
  const glm::dvec3 pb(positions[b]);
  const glm::dvec3 pc(positions[c]);
  const double from_a = glm::distance(pa, 0.5 * (pb + pc));
  const double from_c = glm::distance(pc, 0.5 * (pa + pb));
  if (from_a < from_c || (from_a == from_c && a < c)) {  // the same for both windings of a doubled triangle
    result.insert(result.end(), {{a, ab, bc}, {a, bc, c}});
  } else {
    result.insert(result.end(), {{a, ab, c}, {ab, bc, c}});
  }
}

template <class T, class Mean>
void append_means(std::vector<T>& values, std::span<const glm::uvec2> parents, Mean mean) {
  if (values.empty()) return;
  values.reserve(values.size() + parents.size());
  for (const glm::uvec2 p : parents) values.push_back(mean(values[p.x], values[p.y]));
}

void append_vertices(Mesh& mesh, std::span<const glm::uvec2> parents) {
  append_means(mesh.positions, parents, [](glm::vec3 a, glm::vec3 b) { return 0.5f * a + 0.5f * b; });
  append_means(mesh.normals, parents, [](glm::vec3 a, glm::vec3 b) { return normalize_or(a + b, a); });
  append_means(mesh.tangents, parents, [](glm::vec4 a, glm::vec4 b) {
    return glm::vec4(normalize_or(glm::vec3(a) + glm::vec3(b), glm::vec3(a)), a.w);
  });
  append_means(mesh.uvs, parents, [](glm::vec2 a, glm::vec2 b) { return 0.5f * a + 0.5f * b; });
  if (mesh.weights.row_count() == 0) return;
  std::vector<WeightedElement> row;
  for (const glm::uvec2 p : parents) {
    row.clear();
    for (const std::uint32_t parent : {p.x, p.y}) {
      for (const Influence& influence : mesh.weights.row(parent)) row.push_back({influence.index, influence.weight});
    }
    append_row(mesh.weights, row);
  }
}

}  // namespace

Refined refine(const Mesh& mesh, std::span<const std::uint8_t> chosen) {
  assert(chosen.size() == mesh.triangles.size());
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  const auto place_of = [&](glm::uvec3 t) { return glm::uvec3(welded[t.x], welded[t.y], welded[t.z]); };
  std::set<MeshEdge> split_edges;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (chosen[i] == 0) continue;
    for (int corner = 0; corner < 3; ++corner) {
      const MeshEdge edge = edge_at(place_of(mesh.triangles[i]), corner);
      if (edge.first != edge.second) split_edges.insert(edge);
    }
  }
  Refined result;
  result.mesh = mesh;
  result.mesh.triangles.clear();
  result.mesh.morph_targets.clear();
  result.mesh.attributes.clear();
  Middles middles(mesh.positions.size(), result.parents);
  for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
    std::array<bool, 3> is_split{};
    for (int corner = 0; corner < 3; ++corner) {
      is_split[corner] = split_edges.contains(edge_at(place_of(mesh.triangles[i]), corner));
    }
    split(mesh.triangles[i], is_split, mesh.positions, middles, result.mesh.triangles);
    result.source_triangle.resize(result.mesh.triangles.size(), i);
  }
  cover_pieces(result.mesh.parts, result.source_triangle);
  append_vertices(result.mesh, result.parents);
  return result;
}

}  // namespace pelt::surface_ffd
