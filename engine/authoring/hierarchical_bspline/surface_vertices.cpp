// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include <pelt/tools/surface_vertices.h>
#include <pelt/try.h>

#include "engine/authoring/hierarchical_bspline/frame_pass.h"
#include "engine/authoring/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

namespace {

std::vector<std::array<std::uint32_t, 2>> stored_edges(const Surface& surface, std::uint32_t level) {
  std::set<std::array<std::uint32_t, 2>> edges;
  for (const std::vector<std::uint32_t>& face : surface.topology().faces(level)) {
    for (std::size_t c = 0; c < face.size(); ++c) {
      const auto [from, to] = std::minmax(face[c], face[(c + 1) % face.size()]);
      if (surface.find(level, from) != nullptr && surface.find(level, to) != nullptr) edges.insert({from, to});
    }
  }
  return {edges.begin(), edges.end()};
}

}  // namespace

Result<SurfaceVertices> surface_vertices(const HierarchicalBsplineParameters& parameters) {
  PELT_ASSIGN(const auto surface, Surface::create(parameters, "the surface"));
  SurfaceVertices result;
  for (std::uint32_t level = 0; level <= surface.finest(); ++level) {
    SurfaceGrid& grid = result.grids.emplace_back();
    grid.along = {surface.topology().size(level), 1};
    if (surface.grid() != nullptr) {
      for (int d = 0; d < 2; ++d) grid.along[d] = surface.grid()->grid(level).along[d].count;
    }
    grid.edges = stored_edges(surface, level);
  }
  for (const StoredVertex& vertex : surface.vertices()) {
    ++result.grids[vertex.level].stored;
    SurfaceVertex& added = result.vertices.emplace_back();
    added.level = vertex.level;
    added.number = vertex.number;
    added.rest = vertex.rest;
    added.axes = glm::mat3(vertex.axes);
  }
  return result;
}

Result<SurfaceMesh> surface_mesh(HierarchicalBsplineParameters parameters, std::uint32_t level) {
  parameters.levels.resize(std::size_t{level} + 1);
  PELT_ASSIGN(auto surface, Surface::create(parameters, "the surface"));
  SurfaceMesh mesh;
  // The outermost control vertices of an open grid have the points of those next to them.
  std::map<std::vector<std::pair<std::uint32_t, float>>, std::uint32_t> points;
  std::vector<std::uint32_t> point_of;
  for (std::uint32_t v = 0; v < surface.topology().size(level); ++v) {
    std::vector<std::pair<std::uint32_t, float>> point;
    const std::vector<Share> shares = surface.topology().limit(level, v, surface.control(level));
    for (const Share& share : surface.stored_shares(level, shares)) {
      if (share.weight != 0) point.emplace_back(share.vertex, static_cast<float>(share.weight));
    }
    const auto [known, added] = points.emplace(point, static_cast<std::uint32_t>(mesh.points.size()));
    if (added) mesh.points.push_back(std::move(point));
    point_of.push_back(known->second);
  }
  for (std::vector<std::uint32_t>& face : surface.topology().faces(level)) {
    for (std::uint32_t& corner : face) corner = point_of[corner];
    face.erase(std::unique(face.begin(), face.end()), face.end());
    if (face.front() == face.back()) face.pop_back();
    if (face.size() > 2) mesh.faces.push_back(std::move(face));
  }
  return mesh;
}

Result<std::vector<std::uint32_t>> refined_round(const HierarchicalBsplineParameters& parameters, std::uint32_t level,
                                                 std::uint32_t number) {
  if (level >= std::max<std::size_t>(parameters.levels.size(), 1)) {
    return fail(ErrorCode::kNotFound, fmt::format("the surface has no level {} any more", level));
  }
  HierarchicalBsplineParameters refined = parameters;
  if (refined.levels.size() < std::size_t{level} + 2) refined.levels.resize(std::size_t{level} + 2);
  PELT_ASSIGN(const auto surface, Surface::create(refined, "the surface"));
  if (number >= surface.topology().size(level)) {
    return fail(ErrorCode::kNotFound, fmt::format("level {} has no vertex {} any more", level, number));
  }
  return surface.topology().refined_round(level, number);
}

}  // namespace pelt::hierarchical_bspline
