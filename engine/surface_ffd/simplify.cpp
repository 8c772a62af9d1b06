// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/simplify.h"

#include <fmt/format.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/model/parts.h"
#include "engine/surface_ffd/area.h"

namespace pelt::surface_ffd {
namespace {

// Triangles over one vertex a position, each with three different ones: seams and parts become one surface. The density
// of a vertex is the highest of those at its position.
void weld(Mesh& mesh, std::vector<float>& density) {
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  for (glm::uvec3& t : mesh.triangles) t = {welded[t.x], welded[t.y], welded[t.z]};
  std::erase_if(mesh.triangles, [](glm::uvec3 t) { return t.x == t.y || t.y == t.z || t.z == t.x; });
  for (std::size_t i = 0; i < density.size(); ++i) density[welded[i]] = std::max(density[welded[i]], density[i]);
}

void drop_unused_vertices(Mesh& mesh, std::vector<float>& density) {
  constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> remap(mesh.positions.size(), kUnused);
  for (const glm::uvec3 t : mesh.triangles) remap[t.x] = remap[t.y] = remap[t.z] = 0;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < remap.size(); ++i) {
    if (remap[i] == kUnused) continue;
    mesh.positions[count] = mesh.positions[i];
    density[count] = density[i];
    remap[i] = count++;
  }
  mesh.positions.resize(count);
  density.resize(count);
  for (glm::uvec3& t : mesh.triangles) t = {remap[t.x], remap[t.y], remap[t.z]};
}

// The surface, rippled: every vertex moved along its normal by a fixed pseudo-random share of the edges round it.
// Simplification measures distance from planes, and would spare no vertex along a straight limb, where the joints need
// them most. Ripples tilt the planes, so that distance along the surface counts as well: triangles stay round and even
// where the surface is straight, and small where it is curved. A collapse over a length costs about the square of
// length times slope, so that slopes as the root of the density would make triangles as dense as it, if ripples were
// all that a collapse costs.
std::vector<glm::vec3> rippled(const Mesh& mesh, std::span<const float> density) {
  constexpr float kHeight = 0.2f;    // of the mean edge at the vertex
  constexpr float kExponent = 0.7f;  // by the densities that limbs and figures come out with
  std::vector<float> edge_sum(mesh.positions.size(), 0);
  std::vector<float> edge_count(mesh.positions.size(), 0);
  for (const glm::uvec3 t : mesh.triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      const std::uint32_t a = t[corner];
      const std::uint32_t b = t[(corner + 1) % 3];
      const float length = glm::distance(mesh.positions[a], mesh.positions[b]);
      for (const std::uint32_t v : {a, b}) {
        edge_sum[v] += length;
        edge_count[v] += 1;
      }
    }
  }
  const std::vector<glm::vec3> normals = vertex_normals(mesh.positions, mesh.triangles);
  std::vector<glm::vec3> result(mesh.positions.size());
  for (std::uint32_t i = 0; i < result.size(); ++i) {
    const std::uint32_t hash = (i * 2654435761u) >> 8u;
    const float noise = static_cast<float>(hash) / static_cast<float>(1u << 23u) - 1.0f;  // [-1, 1)
    const float height = kHeight * std::pow(density[i], kExponent) * edge_sum[i] / std::max(edge_count[i], 1.0f);
    result[i] = mesh.positions[i] + normals[i] * (height * noise);
  }
  return result;
}

std::vector<glm::uvec3> triangles_from(std::span<const unsigned> indices) {
  std::vector<glm::uvec3> result;
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    result.emplace_back(indices[i], indices[i + 1], indices[i + 2]);
  }
  return result;
}

std::vector<glm::uvec3> simplified(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                                   std::size_t triangle_count) {
  constexpr float kAnyError = 1e10f;
  std::vector<unsigned> indices(3 * triangles.size());
  indices.resize(meshopt_simplify(indices.data(), &triangles[0].x, indices.size(), &positions[0].x, positions.size(),
                                  sizeof(glm::vec3), 3 * triangle_count, kAnyError, 0, nullptr));
  return triangles_from(indices);
}

std::vector<glm::uvec3> simplified_sloppily(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                                            std::size_t triangle_count) {
  constexpr float kAnyError = 1e10f;
  std::vector<unsigned> indices(3 * triangles.size());
  indices.resize(meshopt_simplifySloppy(indices.data(), &triangles[0].x, indices.size(), &positions[0].x,
                                        positions.size(), sizeof(glm::vec3), 3 * triangle_count, kAnyError, nullptr));
  return triangles_from(indices);
}

// Triangles of the connected parts of `welded` that have none in `kept`, and how many such parts there are.
std::vector<glm::uvec3> lost_triangles(const Mesh& welded, std::span<const std::uint32_t> part,
                                       std::span<const glm::uvec3> kept, std::size_t& part_count) {
  std::vector<bool> known(welded.positions.size(), false);
  for (const glm::uvec3 t : kept) known[part[t.x]] = true;
  std::vector<bool> counted = known;
  std::vector<glm::uvec3> lost;
  part_count = 0;
  for (const glm::uvec3 t : welded.triangles) {
    if (known[part[t.x]]) continue;
    lost.push_back(t);
    if (!counted[part[t.x]]) ++part_count;
    counted[part[t.x]] = true;
  }
  return lost;
}

// Gives connected parts that simplification lost a few triangles back, where that does not make the driver much larger:
// what they belong to is then moved by themselves, not by what happens to be near.
void restore_lost_parts(const Mesh& welded, std::span<const glm::vec3> positions, std::size_t asked,
                        std::vector<glm::uvec3>& triangles, std::vector<std::string>& notes) {
  constexpr std::size_t kMost = 12;
  constexpr std::size_t kLeast = 2;
  const std::vector<std::uint32_t> part = connected_parts(welded.positions.size(), welded.triangles);
  std::size_t count = 0;
  const std::vector<glm::uvec3> lost = lost_triangles(welded, part, triangles, count);
  if (count == 0) return;
  const std::size_t few = std::min(kMost, asked / (2 * count));
  if (few < kLeast) {
    notes.push_back(fmt::format("{} small parts of the surface have no triangle of the driver of their own", count));
    return;
  }
  notes.push_back(
      fmt::format("{} small parts of the surface keep a few triangles each beyond the {} asked", count, asked));
  const std::vector<glm::uvec3> restored = simplified(positions, lost, std::min(few * count, lost.size()));
  triangles.insert(triangles.end(), restored.begin(), restored.end());
  std::vector<std::size_t> taken(welded.positions.size(), 0);  // by part, as they are
  for (const glm::uvec3 t : lost_triangles(welded, part, triangles, count)) {
    if (taken[part[t.x]]++ < few) triangles.push_back(t);
  }
}

}  // namespace

Simplified simplify(const Mesh& surface, std::size_t triangle_count, std::span<const float> density) {
  assert(density.empty() || density.size() == surface.positions.size());
  Simplified result;
  Mesh& mesh = result.mesh;
  mesh.positions = surface.positions;
  mesh.triangles = surface.triangles;
  std::vector<float> densities(density.begin(), density.end());
  densities.resize(mesh.positions.size(), 1.0f);
  weld(mesh, densities);
  drop_unused_vertices(mesh, densities);
  if (mesh.triangles.size() > triangle_count) {
    const std::vector<glm::vec3> positions = rippled(mesh, densities);
    std::vector<glm::uvec3> triangles = simplified(positions, mesh.triangles, triangle_count);
    if (triangles.size() > 2 * triangle_count) {
      result.notes.push_back(
          fmt::format("the surface could not be simplified below {} triangles with its connections kept, so that the "
                      "driver is a coarse one without them",
                      triangles.size()));
      triangles = simplified_sloppily(mesh.positions, mesh.triangles, triangle_count);
    }
    restore_lost_parts(mesh, positions, triangle_count, triangles, result.notes);
    mesh.triangles = std::move(triangles);
  }
  // What simplification leaves of a row of vertices in line is no element and holds nothing together.
  const double least = least_area(mesh);
  std::erase_if(mesh.triangles, [&](glm::uvec3 t) { return triangle_area(mesh, t) <= least; });
  drop_unused_vertices(mesh, densities);
  return result;
}

}  // namespace pelt::surface_ffd
