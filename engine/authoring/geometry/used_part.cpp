// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/used_part.h"

#include <algorithm>
#include <atomic>

#include <pelt/tools/area.h>
#include <pelt/tools/parallel.h>
#include <pelt/tools/triangle_tree.h>
#include <pelt/tools/weld.h>

#include "engine/authoring/rows/morton_order.h"

namespace pelt {
namespace {

constexpr std::size_t kMinTimesElements = 4;  // with fewer triangles than this many times K, the choice of K changes

// Returns true for each welded vertex of a marked triangle.
std::vector<bool> marked_places(const Mesh& mesh, std::span<const std::uint32_t> welded,
                                const std::vector<std::atomic<bool>>& triangles) {
  std::vector<bool> places(mesh.positions.size(), false);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int c = 0; triangles[t].load(std::memory_order_relaxed) && c < 3; ++c)
      places[welded[mesh.triangles[t][c]]] = true;
  }
  return places;
}

DriverPart part_of(const Mesh& driver, const std::vector<bool>& triangles) {
  DriverPart part;
  std::vector<std::uint32_t> number(driver.positions.size(), 0);
  std::vector<bool> kept(driver.positions.size(), false);
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    if (!triangles[t]) continue;
    part.triangles.push_back(t);
    for (int c = 0; c < 3; ++c) kept[driver.triangles[t][c]] = true;
  }
  part.mesh.name = driver.name;
  for (std::uint32_t v = 0; v < kept.size(); ++v) {
    if (!kept[v]) continue;
    number[v] = static_cast<std::uint32_t>(part.vertices.size());
    part.vertices.push_back(v);
    part.mesh.positions.push_back(driver.positions[v]);
    if (!driver.normals.empty()) part.mesh.normals.push_back(driver.normals[v]);
    if (!driver.tangents.empty()) part.mesh.tangents.push_back(driver.tangents[v]);
    if (driver.weights.row_count() != 0) part.mesh.weights.append_row(driver.weights.row(v));
  }
  for (const std::uint32_t t : part.triangles) {
    const glm::uvec3 corners = driver.triangles[t];
    part.mesh.triangles.emplace_back(number[corners.x], number[corners.y], number[corners.z]);
  }
  part.mesh.parts = {{.first_triangle = 0, .triangle_count = static_cast<std::uint32_t>(part.triangles.size())}};
  return part;
}

}  // namespace

std::optional<DriverPart> used_part(const Mesh& driver, std::span<const DriverUse> uses, unsigned threads) {
  constexpr std::size_t kGrain = 4096;  // vertices
  if (uses.empty()) return std::nullopt;
  const double least = least_area(driver);
  std::vector<glm::uvec3> solid = driver.triangles;
  const std::vector<std::uint32_t> numbers = drop_flat(driver.positions, solid, least);
  const Result<TriangleTree> tree = TriangleTree::create(driver.positions, solid);
  if (!tree) return std::nullopt;
  std::vector<std::atomic<bool>> used(driver.triangles.size());
  std::size_t most = 0;
  for (const DriverUse& use : uses) {
    most = std::max(most, use.elements);
    std::vector<glm::dvec3> points;  // consecutive ones lie close together
    for (const std::uint32_t v : morton_order(use.skin->positions)) {
      if (use.mask.empty() || use.mask[v] > 0) points.emplace_back(use.skin->positions[v]);
    }
    parallel_for(points.size(), kGrain, threads, [&](std::size_t begin, std::size_t end) {
      tree->nearest(std::span(points).subspan(begin, end - begin), use.elements,
                    [&](std::size_t, std::span<const TriangleTree::NearPoint> found) {
                      for (const TriangleTree::NearPoint& point : found) {
                        used[numbers[point.triangle]].store(true, std::memory_order_relaxed);
                      }
                    });
    });
  }
  const std::vector<std::uint32_t> welded = weld_by_position(driver.positions);
  const std::vector<bool> places = marked_places(driver, welded, used);
  std::vector<bool> kept(driver.triangles.size(), false);
  std::size_t count = 0;
  for (std::size_t t = 0; t < kept.size(); ++t) {
    const glm::uvec3 corners = driver.triangles[t];
    kept[t] = triangle_area(driver, corners) > least &&
              (places[welded[corners.x]] || places[welded[corners.y]] || places[welded[corners.z]]);
    count += kept[t] ? 1 : 0;
  }
  if (2 * count > kept.size() || count < kMinTimesElements * most) return std::nullopt;
  return part_of(driver, kept);
}

}  // namespace pelt
