// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/simplify.h"

#include <fmt/format.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <pelt/tools/area.h>
#include <pelt/tools/mesh_parts.h>
#include <pelt/tools/parallel.h>

#include "engine/authoring/geometry/bounds.h"

namespace pelt {
namespace {

// Removes vertices without triangles, with their densities and sources.
void drop_unused_vertices(Simplified& surface, std::vector<float>& density) {
  constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
  Mesh& mesh = surface.mesh;
  std::vector<std::uint32_t> remap(mesh.positions.size(), kUnused);
  for (const glm::uvec3 t : mesh.triangles) remap[t.x] = remap[t.y] = remap[t.z] = 0;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < remap.size(); ++i) {
    if (remap[i] == kUnused) continue;
    mesh.positions[count] = mesh.positions[i];
    surface.source_vertex[count] = surface.source_vertex[i];
    if (!density.empty()) density[count] = density[i];
    remap[i] = count++;
  }
  mesh.positions.resize(count);
  surface.source_vertex.resize(count);
  if (!density.empty()) density.resize(count);
  for (glm::uvec3& t : mesh.triangles) t = {remap[t.x], remap[t.y], remap[t.z]};
}

// Welds vertices at one position and drops triangles that then have fewer than three different corners: seams and parts
// become one surface. A vertex takes the highest density of those at its position.
Simplified welded(Mesh surface, std::vector<float>& density) {
  Simplified result;
  Mesh& mesh = result.mesh;
  mesh.positions = std::move(surface.positions);
  mesh.triangles = std::move(surface.triangles);
  {
    const std::vector<std::uint32_t> first = weld_by_position(mesh.positions);
    for (glm::uvec3& t : mesh.triangles) t = {first[t.x], first[t.y], first[t.z]};
    for (std::size_t i = 0; i < density.size(); ++i) density[first[i]] = std::max(density[first[i]], density[i]);
  }
  std::erase_if(mesh.triangles, [](glm::uvec3 t) { return t.x == t.y || t.y == t.z || t.z == t.x; });
  result.source_vertex.resize(mesh.positions.size());
  std::iota(result.source_vertex.begin(), result.source_vertex.end(), 0u);
  drop_unused_vertices(result, density);
  return result;
}

// Returns the surface with ripples: moves every vertex along its normal by a fixed pseudo-random fraction of the length
// of the edges around it. Simplification measures distance from planes, and would remove every vertex along a straight
// limb, although joints need them most. Ripples tilt the planes, so that distance along the surface counts too:
// triangles stay round and even on straight surfaces, and small on curved ones. A collapse over a length costs about
// the square of length times slope. Slopes in proportion to the square root of the density would thus give the
// requested density, if ripples were the only cost of a collapse.
std::vector<glm::vec3> rippled(const Mesh& mesh, std::span<const float> density) {
  constexpr float kHeight = 0.2f;    // in mean edge lengths at the vertex
  constexpr float kExponent = 0.7f;  // fitted to the resulting densities on limbs and figures
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
                                   std::size_t triangle_count, unsigned options = 0) {
  constexpr float kAnyError = 1e10f;
  std::vector<unsigned> indices(3 * triangles.size());
  indices.resize(meshopt_simplify(indices.data(), &triangles[0].x, indices.size(), &positions[0].x, positions.size(),
                                  sizeof(glm::vec3), 3 * triangle_count, kAnyError, options, nullptr));
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

// Returns the triangles of connected parts of `welded` that have no triangle in `kept`, and the number of such parts.
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

// Restores a few triangles of connected parts that simplification removed, unless that makes the driver much larger:
// these triangles then move the part's skin, instead of others that happen to be near.
void restore_lost_parts(const Mesh& welded, std::span<const glm::vec3> positions, std::size_t asked,
                        std::vector<glm::uvec3>& triangles, std::vector<std::string>& notes) {
  constexpr std::size_t kMax = 12;
  constexpr std::size_t kMin = 2;
  const std::vector<std::uint32_t> part = connected_parts(welded.positions.size(), welded.triangles);
  std::size_t count = 0;
  const std::vector<glm::uvec3> lost = lost_triangles(welded, part, triangles, count);
  if (count == 0) return;
  const std::size_t few = std::min(kMax, asked / (2 * count));
  if (few < kMin) {
    notes.push_back(fmt::format("{} small parts of the surface have no triangles of their own in the driver", count));
    return;
  }
  notes.push_back(fmt::format(
      "{} small parts of the surface keep a few triangles each, in addition to the {} requested", count, asked));
  const std::vector<glm::uvec3> restored = simplified(positions, lost, std::min(few * count, lost.size()));
  triangles.insert(triangles.end(), restored.begin(), restored.end());
  std::vector<std::size_t> taken(welded.positions.size(), 0);  // for each part
  for (const glm::uvec3 t : lost_triangles(welded, part, triangles, count)) {
    if (taken[part[t.x]]++ < few) triangles.push_back(t);
  }
}

// Simplifies neighbouring triangles but keeps their border, so that adjacent parts still fit.
std::vector<glm::uvec3> thinned_part(const Mesh& mesh, std::span<const glm::uvec3> triangles,
                                     std::size_t triangle_count) {
  const std::size_t corner_count = 3 * triangles.size();
  std::vector<unsigned> place(corner_count);  // number of each corner's vertex in the part
  std::vector<std::uint32_t> vertices(meshopt_generateVertexRemap(place.data(), nullptr, corner_count, &triangles[0].x,
                                                                  corner_count, sizeof(triangles[0].x)));
  for (std::size_t c = 0; c < corner_count; ++c) vertices[place[c]] = triangles[c / 3][static_cast<int>(c % 3)];
  Mesh part;
  part.triangles = triangles_from(place);
  for (const std::uint32_t vertex : vertices) part.positions.push_back(mesh.positions[vertex]);
  const std::vector<float> even(vertices.size(), 1.0f);
  std::vector<glm::uvec3> result =
      simplified(rippled(part, even), part.triangles, triangle_count, meshopt_SimplifyLockBorder);
  for (glm::uvec3& t : result) t = {vertices[t.x], vertices[t.y], vertices[t.z]};
  return result;
}

// Splits the triangles into compact parts of at most `most`, by halving along the longest extent. Reorders the
// triangles.
void split(std::span<const glm::vec3> positions, std::span<glm::uvec3> triangles, std::size_t most,
           std::vector<std::span<glm::uvec3>>& parts) {
  if (triangles.size() <= most) {
    parts.push_back(triangles);
    return;
  }
  Bounds<glm::vec3> bounds;
  for (const glm::uvec3 t : triangles) bounds.add(positions[t.x]);
  const int axis = bounds.longest_axis();
  const std::size_t half = triangles.size() / 2;
  // Stable: every C++ library halves the sides of a symmetric skin, whose coordinates are equal, alike.
  std::ranges::stable_sort(triangles, {}, [&](glm::uvec3 t) { return positions[t.x][axis]; });
  split(positions, triangles.first(half), most, parts);
  split(positions, triangles.subspan(half), most, parts);
}

// Reduces the mesh to about `triangle_count` triangles, or to a quarter of its triangles if that is more.
void thin_once(Mesh& mesh, std::size_t triangle_count, unsigned threads) {
  // Triangles of a part: simplifying this many stays within the caches.
  constexpr std::size_t kPart = std::size_t{1} << 13u;
  constexpr std::size_t kMax =
      4;  // largest reduction; beyond it most remaining triangles would lie on borders of parts
  const std::size_t count = mesh.triangles.size();
  const std::size_t wanted = std::max(triangle_count, count / kMax);
  std::vector<std::span<glm::uvec3>> parts;
  split(mesh.positions, mesh.triangles, kPart, parts);
  parallel_for(parts.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::span<glm::uvec3>& part : std::span(parts).subspan(begin, end - begin)) {
      const std::vector<glm::uvec3> thinned = thinned_part(mesh, part, part.size() * wanted / count);
      part = {part.begin(), std::copy(thinned.begin(), thinned.end(), part.begin())};
    }
  });
  auto end = mesh.triangles.begin();
  for (const std::span<const glm::uvec3> part : parts) end = std::copy(part.begin(), part.end(), end);
  mesh.triangles.erase(end, mesh.triangles.end());
}

}  // namespace

Simplified thin(Mesh surface, std::size_t triangle_count, unsigned threads) {
  std::vector<float> no_density;
  Simplified result = welded(std::move(surface), no_density);
  std::size_t before = std::numeric_limits<std::size_t>::max();
  // The borders of the parts differ in each round. Stops when a round removes too little.
  while (result.mesh.triangles.size() > triangle_count && result.mesh.triangles.size() < before - before / 8) {
    before = result.mesh.triangles.size();
    thin_once(result.mesh, triangle_count, threads);
    drop_unused_vertices(result, no_density);
  }
  return result;
}

Simplified simplify(Mesh surface, std::size_t triangle_count, std::vector<float> density) {
  assert(density.empty() || density.size() == surface.positions.size());
  density.resize(surface.positions.size(), 1.0f);
  Simplified result = welded(std::move(surface), density);
  Mesh& mesh = result.mesh;
  if (mesh.triangles.size() > triangle_count) {
    const std::vector<glm::vec3> positions = rippled(mesh, density);
    std::vector<glm::uvec3> triangles = simplified(positions, mesh.triangles, triangle_count);
    if (triangles.size() > 2 * triangle_count) {
      result.notes.push_back(
          fmt::format("the surface could not be simplified below {} triangles with its connections kept; the driver "
                      "is a coarse one without them",
                      triangles.size()));
      triangles = simplified_sloppily(mesh.positions, mesh.triangles, triangle_count);
    }
    restore_lost_parts(mesh, positions, triangle_count, triangles, result.notes);
    mesh.triangles = std::move(triangles);
  }
  // Simplification can leave flat triangles over collinear vertices: they are no driver elements and connect nothing.
  drop_flat(mesh.positions, mesh.triangles, least_area(mesh));
  drop_unused_vertices(result, density);
  return result;
}

}  // namespace pelt
