// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/close_seams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/base/stop.h"
#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/rows/row_weights.h"

namespace pelt {
namespace {

constexpr double kNear = 1e-3;  // of the size
constexpr double kOfEdge = 0.25;
constexpr double kAlike = 0.95;
constexpr double kRounding = 1e-6;  // of the size

struct BorderVertex {
  std::size_t mesh;
  std::uint32_t vertex;
  float shortest;  // edge at its position, metres
  glm::dvec3 position;
  std::span<const Influence> row;
};

// Appends the border vertices of a mesh; coincident vertices are one. Edges below `least`, metres, do not count.
void append_border(const Mesh& mesh, std::size_t m, float least, std::vector<BorderVertex>& border) {
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  std::vector<glm::uvec3> triangles = welded_triangles(welded, mesh.triangles);
  std::erase_if(triangles, [](glm::uvec3 t) { return t.x == t.y || t.y == t.z || t.z == t.x; });
  std::vector<float> shortest(welded.size(), std::numeric_limits<float>::max());
  for (const glm::uvec3 t : triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      const auto [a, b] = edge_at(t, corner);
      const float length = glm::distance(mesh.positions[a], mesh.positions[b]);
      if (length < least) continue;
      for (const std::uint32_t v : {a, b}) shortest[v] = std::min(shortest[v], length);
    }
  }
  std::vector<bool> is_border(welded.size(), false);
  for (const BorderEdge& edge : border_edges(triangles)) {
    for (const int corner : {edge.corner, (edge.corner + 1) % 3}) is_border[triangles[edge.triangle][corner]] = true;
  }
  for (std::uint32_t v = 0; v < welded.size(); ++v) {
    if (is_border[welded[v]]) {
      border.push_back({m, v, shortest[welded[v]], mesh.positions[v], mesh.weights.row(v)});
    }
  }
}

// Returns for each border vertex the closest earlier one that stays and is within the limits, or itself: then it stays.
// Coincident vertices do as their first. `near`: the largest distance, metres.
std::vector<std::size_t> closest_staying(std::vector<BorderVertex> border, double near) {
  std::vector<glm::vec3> positions;
  for (const BorderVertex& vertex : border) positions.emplace_back(vertex.position);
  const std::vector<std::uint32_t> welded = weld_by_position(positions);
  for (std::size_t i = 0; i < border.size(); ++i) {
    float& shortest = border[welded[i]].shortest;
    shortest = std::min(shortest, border[i].shortest);
  }
  // A vertex that stays is in the grid of its reach, rounded up to a power of two. Vertices of a cell that are painted
  // alike are thus more than a quarter of a cell apart: a search looks at few, however much edges differ.
  std::map<int, std::map<std::array<double, 3>, std::vector<std::size_t>>> grids;
  std::vector<std::size_t> closest(border.size());
  for (std::size_t i = 0; i < border.size(); ++i) {
    stop_if_asked();
    closest[i] = closest[welded[i]];
    if (welded[i] != i) continue;
    const BorderVertex& vertex = border[i];
    const double reach = std::min(near, kOfEdge * double{vertex.shortest});
    std::pair best(reach, i);
    for (const auto& [exponent, grid] : grids) {
      const double largest = std::ldexp(1.0, exponent);
      const glm::dvec3 low = glm::floor((vertex.position - std::min(reach, largest)) / (2 * largest));
      const glm::dvec3 high = glm::floor((vertex.position + std::min(reach, largest)) / (2 * largest));
      for (int n = 0; n < 8; ++n) {
        const glm::bvec3 second(n & 1, n >> 1 & 1, n >> 2);
        if (glm::any(glm::equal(low, high) && second)) continue;
        const glm::dvec3 cell = glm::mix(low, high, second);
        const auto found = grid.find({cell.x, cell.y, cell.z});
        if (found == grid.end()) continue;
        for (const std::size_t j : found->second) {
          const std::pair candidate(glm::distance(vertex.position, border[j].position), j);
          if (candidate < best && candidate.first <= kOfEdge * double{border[j].shortest} &&
              weight_similarity(vertex.row, border[j].row) >= kAlike)
            best = candidate;
        }
      }
    }
    closest[i] = best.second;
    if (best.second != i || reach == 0) continue;
    int exponent = 0;
    std::frexp(reach, &exponent);
    const glm::dvec3 cell = glm::floor(vertex.position / std::ldexp(2.0, exponent));
    grids[exponent][{cell.x, cell.y, cell.z}].push_back(i);
  }
  return closest;
}

}  // namespace

std::optional<Model> with_closed_seams(const Model& model) {
  Bounds<glm::dvec3> bounds;
  for (const Mesh& mesh : model.meshes) {
    for (const glm::vec3& position : mesh.positions) {
      if (has_weights(mesh)) bounds.add(position);
    }
  }
  const double size = glm::length(bounds.size());
  std::vector<BorderVertex> border;
  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    if (has_weights(model.meshes[m])) append_border(model.meshes[m], m, static_cast<float>(kRounding * size), border);
  }
  if (border.empty()) return std::nullopt;
  const std::vector<std::size_t> closest = closest_staying(border, kNear * size);
  std::optional<Model> closed;
  for (std::size_t i = 0; i < border.size(); ++i) {
    const BorderVertex &vertex = border[i], &other = border[closest[i]];
    if (vertex.position == other.position) continue;
    if (!closed) closed = model;
    closed->meshes[vertex.mesh].positions[vertex.vertex] = other.position;
  }
  return closed;
}

}  // namespace pelt
