// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/vertex_frame/bind.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include <pelt/tools/weld.h>

#include "engine/character/records.h"
#include "shaders/driver/vertex_frame/pose.h"

namespace pelt::vertex_frame {
namespace {

using Corners = std::array<std::uint32_t, 2>;  // the two other corners of a triangle, in its orientation

glm::dvec3 doubled_area(const Mesh& mesh, std::uint32_t vertex, Corners corners) {
  const glm::dvec3 origin(mesh.positions[vertex]);
  return glm::cross(glm::dvec3(mesh.positions[corners[0]]) - origin, glm::dvec3(mesh.positions[corners[1]]) - origin);
}

// Returns the triangles whose sum is the normal: all, unless they cancel (a sheet with two faces); then the largest.
std::vector<Corners> triangles_of_normal(const Mesh& mesh, std::uint32_t vertex, const std::vector<Corners>& all) {
  constexpr double kCancelled = 1e-3;
  glm::dvec3 sum(0);
  double area = 0;
  const Corners* largest = &all.front();
  for (const Corners& corners : all) {
    const glm::dvec3 doubled = doubled_area(mesh, vertex, corners);
    sum += doubled;
    area += glm::length(doubled);
    if (glm::length(doubled) > glm::length(doubled_area(mesh, vertex, *largest))) largest = &corners;
  }
  if (glm::length(sum) > kCancelled * area) return all;
  return {*largest};
}

void put(std::vector<std::uint32_t>& words, double number) {
  words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(number)));
}

void add_record(const Mesh& mesh, std::uint32_t vertex, const std::vector<Corners>& all, std::uint32_t first_vertex,
                PalettePass& pass) {
  shared::VertexFrameRecord record{first_vertex + vertex,
                                   static_cast<std::uint32_t>(pass.table.size()),
                                   0,
                                   0,
                                   mesh.positions[vertex],
                                   glm::vec3(0.0f),
                                   1.0f};
  if (all.empty()) return append_record(pass.records, record);

  std::vector<std::uint32_t> neighbours;
  for (const Corners& corners : all) neighbours.insert(neighbours.end(), corners.begin(), corners.end());
  std::sort(neighbours.begin(), neighbours.end());
  neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  const std::vector<Corners> triangles = triangles_of_normal(mesh, vertex, all);

  const glm::dvec3 origin(mesh.positions[vertex]);
  glm::dmat3 moments(0.0);
  double squared = 0;
  for (const std::uint32_t neighbour : neighbours) {
    const glm::dvec3 edge = glm::dvec3(mesh.positions[neighbour]) - origin;
    moments += glm::outerProduct(edge, edge);
    squared += glm::dot(edge, edge);
  }
  squared /= static_cast<double>(neighbours.size());
  glm::dvec3 normal(0);
  double area = 0;
  for (const Corners& corners : triangles) {
    normal += doubled_area(mesh, vertex, corners);
    area += glm::length(doubled_area(mesh, vertex, corners));
  }
  normal = glm::normalize(normal);
  const glm::dmat3 inverse = glm::inverse(moments + squared * glm::outerProduct(normal, normal));

  record.edge_count = static_cast<std::uint32_t>(neighbours.size());
  record.triangle_count = static_cast<std::uint32_t>(triangles.size());
  record.normal_term = glm::vec3(squared * (inverse * normal));
  record.rest_area = static_cast<float>(area);
  append_record(pass.records, record);
  for (const std::uint32_t neighbour : neighbours) {
    const glm::dvec3 term = inverse * (glm::dvec3(mesh.positions[neighbour]) - origin);
    pass.table.push_back(first_vertex + neighbour);
    for (int c = 0; c < 3; ++c) put(pass.table, term[c]);
  }
  for (const Corners& corners : triangles) {
    for (const std::uint32_t corner : corners) pass.table.push_back(first_vertex + corner);
  }
}

}  // namespace

std::uint32_t add_pass(const Mesh& mesh, std::span<const glm::uvec3> triangles, std::size_t control_mesh,
                       CharacterBuilder& builder) {
  // Vertices at one position have one ring: a seam of texture coordinates is not a border.
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  std::vector<std::vector<Corners>> around(mesh.positions.size());
  for (const glm::uvec3 t : triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      around[welded[t[corner]]].push_back({welded[t[(corner + 1) % 3]], welded[t[(corner + 2) % 3]]});
    }
  }
  PalettePass pass;
  pass.kernel = PoseKernel::kVertexFrame;
  pass.stage = builder.stage_after(control_mesh);
  pass.record_count = static_cast<std::uint32_t>(mesh.positions.size());
  const std::uint32_t first_vertex = builder.first_vertex(control_mesh);
  for (std::uint32_t v = 0; v < around.size(); ++v) add_record(mesh, v, around[welded[v]], first_vertex, pass);
  return builder.add_pass(std::move(pass));
}

// The edges to the axis points are unit vectors at right angles, so M is the identity, and A the posed edges.
std::uint32_t add_axis_pass(const Mesh& mesh, std::size_t control_mesh, CharacterBuilder& builder) {
  PalettePass pass;
  pass.kernel = PoseKernel::kVertexFrame;
  pass.stage = builder.stage_after(control_mesh);
  pass.record_count = static_cast<std::uint32_t>(mesh.positions.size());
  const std::uint32_t first_vertex = builder.first_vertex(control_mesh);
  for (std::uint32_t v = 0; v < pass.record_count; ++v) {
    append_record(pass.records,
                  shared::VertexFrameRecord{first_vertex + v, static_cast<std::uint32_t>(pass.table.size()), 3, 0,
                                            mesh.positions[v], glm::vec3(0.0f), 1.0f});
    for (std::uint32_t c = 0; c < 3; ++c) {
      pass.table.push_back(first_vertex + pass.record_count + 3 * v + c);
      for (std::uint32_t d = 0; d < 3; ++d) put(pass.table, c == d ? 1.0 : 0.0);
    }
  }
  return builder.add_pass(std::move(pass));
}

}  // namespace pelt::vertex_frame
