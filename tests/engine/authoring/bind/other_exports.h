// SPDX-License-Identifier: MIT
// A mesh as other exports of its model have it: with finer triangles, and in another order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <pelt/model.h>

namespace pelt {

// Divides each triangle into four, which take its place; new vertices come after the old ones.
inline Mesh subdivided(const Mesh& mesh) {
  Mesh result = mesh;
  result.triangles.clear();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
  const auto middle = [&](std::uint32_t a, std::uint32_t b) {
    const auto [at, added] = middles.try_emplace(std::minmax(a, b), result.positions.size());
    if (!added) return at->second;
    result.positions.push_back(0.5f * (mesh.positions[a] + mesh.positions[b]));
    result.normals.push_back(glm::normalize(mesh.normals[a] + mesh.normals[b]));
    std::map<std::uint32_t, double> sums;
    for (const std::uint32_t end : {a, b}) {
      for (const Influence& influence : mesh.weights.row(end)) sums[influence.index] += 0.5 * influence.weight;
    }
    std::vector<WeightedElement> row;
    for (const auto& [joint, weight] : sums) row.push_back({joint, weight});
    append_row(result.weights, row);
    return at->second;
  };
  for (const glm::uvec3 t : mesh.triangles) {
    const std::uint32_t xy = middle(t.x, t.y);
    const std::uint32_t yz = middle(t.y, t.z);
    const std::uint32_t zx = middle(t.z, t.x);
    for (const glm::uvec3 quarter :
         {glm::uvec3(t.x, xy, zx), glm::uvec3(xy, t.y, yz), glm::uvec3(zx, yz, t.z), glm::uvec3(xy, yz, zx)}) {
      result.triangles.push_back(quarter);
    }
  }
  result.parts = {{0, static_cast<std::uint32_t>(result.triangles.size()), -1}};
  return result;
}

struct Shuffled {
  Mesh mesh;
  std::vector<std::uint32_t> vertex;    // new number of each old vertex
  std::vector<std::uint32_t> triangle;  // new number of each old triangle
};

inline std::vector<std::uint32_t> any_order(std::size_t count, unsigned seed) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

inline Shuffled shuffled(const Mesh& mesh) {
  Shuffled result{mesh, any_order(mesh.positions.size(), 3), any_order(mesh.triangles.size(), 5)};
  std::vector<std::uint32_t> old(mesh.positions.size());
  for (std::uint32_t v = 0; v < old.size(); ++v) old[result.vertex[v]] = v;
  result.mesh.weights = {};
  for (std::uint32_t v = 0; v < old.size(); ++v) {
    result.mesh.positions[v] = mesh.positions[old[v]];
    result.mesh.normals[v] = mesh.normals[old[v]];
    result.mesh.weights.append_row(mesh.weights.row(old[v]));
  }
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const glm::uvec3 corners = mesh.triangles[t];
    result.mesh.triangles[result.triangle[t]] = {result.vertex[corners.x], result.vertex[corners.y],
                                                 result.vertex[corners.z]};
  }
  return result;
}

inline Model with_meshes(const Model& model, const std::function<Mesh(const Mesh&)>& change) {
  Model result = model;
  for (Mesh& mesh : result.meshes) mesh = change(mesh);
  return result;
}

}  // namespace pelt
