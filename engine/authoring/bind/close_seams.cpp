// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/close_seams.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/rows/row_weights.h"

namespace pelt {
namespace {

constexpr float kNear = 1e-3f;  // of the size
constexpr float kOfEdge = 0.25f;
constexpr double kAlike = 0.95;

struct BorderVertex {
  std::size_t mesh;
  std::uint32_t vertex;
  float shortest;  // edge at it, metres
};

// Appends the border vertices of a mesh; coincident vertices are one.
void append_border(const Mesh& mesh, std::size_t m, std::vector<BorderVertex>& border) {
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  std::vector<glm::uvec3> triangles = welded_triangles(welded, mesh.triangles);
  std::erase_if(triangles, [](glm::uvec3 t) { return t.x == t.y || t.y == t.z || t.z == t.x; });
  std::vector<float> shortest(welded.size(), std::numeric_limits<float>::max());
  for (const auto& [a, b] : edge_uses(triangles)) {
    const float length = glm::distance(mesh.positions[a], mesh.positions[b]);
    for (const std::uint32_t v : {a, b}) shortest[v] = std::min(shortest[v], length);
  }
  std::vector<bool> is_border(welded.size(), false);
  for (const BorderEdge& edge : border_edges(triangles)) {
    for (const int corner : {edge.corner, (edge.corner + 1) % 3}) is_border[triangles[edge.triangle][corner]] = true;
  }
  for (std::uint32_t v = 0; v < welded.size(); ++v) {
    if (is_border[welded[v]]) border.push_back({m, v, shortest[welded[v]]});
  }
}

}  // namespace

std::optional<Model> with_closed_seams(const Model& model) {
  std::vector<BorderVertex> border;
  Bounds<glm::vec3> bounds;
  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    if (!has_weights(model.meshes[m])) continue;
    for (const glm::vec3& position : model.meshes[m].positions) bounds.add(position);
    append_border(model.meshes[m], m, border);
  }
  std::vector<glm::vec3> positions;
  for (const BorderVertex& v : border) positions.push_back(model.meshes[v.mesh].positions[v.vertex]);
  if (positions.empty()) return std::nullopt;
  const std::vector<std::uint32_t> near = weld_within(positions, kNear * glm::length(bounds.size()));
  const auto row = [&](const BorderVertex& v) { return model.meshes[v.mesh].weights.row(v.vertex); };
  std::optional<Model> closed;
  for (std::size_t i = 0; i < border.size(); ++i) {
    const BorderVertex &vertex = border[i], &other = border[near[i]];
    const float gap = glm::distance(positions[i], positions[near[i]]);
    if (gap == 0 || gap > kOfEdge * std::min(vertex.shortest, other.shortest) ||
        weight_similarity(row(vertex), row(other)) < kAlike)
      continue;
    if (!closed) closed = model;
    closed->meshes[vertex.mesh].positions[vertex.vertex] = positions[near[i]];
  }
  return closed;
}

}  // namespace pelt
