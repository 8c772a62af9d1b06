// SPDX-License-Identifier: MIT
#include "samples/renderer/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

namespace pelt::samples {
namespace {

constexpr glm::vec4 kClay(0.56f, 0.31f, 0.21f, 1.0f);
constexpr glm::vec4 kDots(0.05f, 0.22f, 0.55f, 1.0f);  // unlit: apart from clay and from the background

// Where a mesh's triangles and edges begin in the lists.
struct Place {
  std::uint32_t first_index = 0;
  std::uint32_t first_edge = 0;
  std::uint32_t edge_count = 0;
  bool has_edges = false;
  std::uint32_t first_point = 0;
  std::uint32_t point_count = 0;
};

Result<void> check_item(const DrawItem& item, std::size_t index) {
  const auto refuse = [&](const std::string& reason) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("item {} of the scene {}", index, reason));
  };
  if (item.crowd == nullptr || item.character == nullptr) return refuse("has no crowd or no character");
  const runtime::VertexLayout& layout = item.crowd->layout();
  const std::uint32_t vertices = (*item.character)->vertex_count();
  if (layout.vertices_per_instance != vertices) return refuse("names another character than its crowd was made of");
  if (item.bounds.empty()) return refuse("has no bounds");
  if (item.instance >= item.crowd->instance_count()) {
    return refuse(fmt::format("shows instance {} of {}", item.instance, item.crowd->instance_count()));
  }
  if (!item.weights.empty() && item.weights.size() != vertices) {
    return refuse(fmt::format("has {} weights for {} vertices", item.weights.size(), vertices));
  }
  return {};
}

// White says that a texture holds the colour; textures are not drawn.
glm::vec4 part_color(const DrawItem& item, const MeshPart& part) {
  if (item.color) return *item.color;
  if (part.material < 0) return kClay;
  const glm::vec4 color = (*item.character)->materials[part.material].base_color;
  return glm::min(color.r, glm::min(color.g, color.b)) > 0.95f ? kClay : color;
}

// Appends an edge of no length for each vertex that no triangle names, and returns how many.
std::uint32_t append_points(const CharacterMesh& mesh, std::vector<glm::uvec2>& edges) {
  std::vector<bool> named(mesh.vertex_count(), false);
  for (const glm::uvec3& t : mesh.triangles) named[t.x] = named[t.y] = named[t.z] = true;
  const std::size_t before = edges.size();
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    if (!named[v]) edges.emplace_back(v, v);
  }
  return static_cast<std::uint32_t>(edges.size() - before);
}

}  // namespace

std::vector<glm::uvec2> unique_edges(std::span<const glm::uvec3> triangles) {
  std::vector<std::uint64_t> keys;
  keys.reserve(3 * triangles.size());
  for (const glm::uvec3& triangle : triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      const auto [low, high] = std::minmax({triangle[corner], triangle[(corner + 1) % 3]});
      keys.push_back(std::uint64_t{low} << 32 | high);
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<glm::uvec2> edges;
  edges.reserve(keys.size());
  for (const std::uint64_t key : keys) edges.emplace_back(key >> 32, key & 0xFFFFFFFFu);
  return edges;
}

Result<Geometry> make_geometry(const Scene& scene) {
  Geometry geometry;
  std::map<const CharacterMesh*, Place> places;
  for (std::uint32_t i = 0; i < scene.items.size(); ++i) {
    const DrawItem& item = scene.items[i];
    if (Result<void> valid = check_item(item, i); !valid) return tl::unexpected(valid.error());
    for (const CharacterMesh& mesh : (*item.character)->meshes) {
      const auto [place, added] = places.try_emplace(&mesh);
      if (added && !mesh.control) {
        place->second.first_index = static_cast<std::uint32_t>(geometry.indices.size());
        for (const glm::uvec3& t : mesh.triangles) geometry.indices.insert(geometry.indices.end(), {t.x, t.y, t.z});
        place->second.first_point = static_cast<std::uint32_t>(geometry.edges.size());
        place->second.point_count = append_points(mesh, geometry.edges);
      }
      if (mesh.control ? item.control_meshes : item.wire) {
        if (!place->second.has_edges) {
          const std::vector<glm::uvec2> edges = unique_edges(mesh.triangles);
          place->second.has_edges = true;
          place->second.first_edge = static_cast<std::uint32_t>(geometry.edges.size());
          place->second.edge_count = static_cast<std::uint32_t>(edges.size());
          geometry.edges.insert(geometry.edges.end(), edges.begin(), edges.end());
        }
        geometry.lines.push_back({.item = i,
                                  .first_vertex = mesh.first_vertex,
                                  .first_edge = place->second.first_edge,
                                  .edge_count = place->second.edge_count,
                                  .control = mesh.control});
      }
      if (mesh.control) continue;
      if (place->second.point_count > 0) {
        geometry.points.push_back({.item = i,
                                   .first_vertex = mesh.first_vertex,
                                   .first_edge = place->second.first_point,
                                   .count = place->second.point_count,
                                   .color = item.color.value_or(kDots)});
      }
      for (const MeshPart& part : mesh.parts) {
        geometry.surfaces.push_back({.item = i,
                                     .first_vertex = mesh.first_vertex,
                                     .first_index = place->second.first_index + 3 * part.first_triangle,
                                     .index_count = 3 * part.triangle_count,
                                     .color = part_color(item, part)});
      }
    }
  }
  return geometry;
}

}  // namespace pelt::samples
