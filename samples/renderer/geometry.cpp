// SPDX-License-Identifier: MIT
#include "samples/renderer/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <ranges>

#include <pelt/try.h>

#include "samples/renderer/textures.h"

namespace pelt::samples {
namespace {

constexpr glm::vec4 kClay(0.56f, 0.31f, 0.21f, 1.0f);
constexpr glm::vec4 kDots(0.05f, 0.22f, 0.55f, 1.0f);  // unlit; differs from clay and from the background

// Returns true if the formats are those that shaders/vertices.glsl reads.
bool writes_what_is_read(const runtime::OutputLocations& outputs) {
  using runtime::VertexFormat;
  return outputs.positions.format == VertexFormat::kFloat && outputs.positions.stride == sizeof(glm::vec3) &&
         outputs.normals.format == VertexFormat::kOctahedral16 && outputs.normals.stride == sizeof(glm::uvec2) &&
         outputs.tangents.format == VertexFormat::kOctahedral16 && outputs.tangents.stride == sizeof(glm::uvec2) &&
         outputs.tangents.buffer == outputs.normals.buffer && outputs.tangents.offset == outputs.normals.offset + 4;
}

// Returns true if the crowd's character has no driver, or the crowd writes them all.
bool writes_drivers(const runtime::CrowdMember& member) {
  for (std::size_t m = 0; m < member.mesh_vertices.size(); ++m) {
    if (member.character->meshes[m].control && member.mesh_vertices[m] == shared::kNoIndex) return false;
  }
  return true;
}

Result<void> check_item(const DrawItem& item, std::size_t index) {
  const auto refuse = [&](const std::string& reason) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("item {} of the scene {}", index, reason));
  };
  if (item.crowd == nullptr || item.character == nullptr) return refuse("has no crowd or no character");
  if (item.bounds.empty()) return refuse("has no bounds");
  const std::uint32_t instances = item.crowd->instance_count();
  if (item.instance >= instances || item.others.size() >= instances - item.instance) {
    return refuse(fmt::format("shows instance {} of {}", item.instance + item.others.size(), instances));
  }
  const auto shown =
      std::views::iota(item.instance, item.instance + 1 + static_cast<std::uint32_t>(item.others.size()));
  for (const std::uint32_t i : shown) {
    if (!item.crowd->instance(i)) return refuse(fmt::format("shows instance {}, which its crowd does not have", i));
    if (!item.crowd->instance(i)->has_outputs) return refuse(fmt::format("shows instance {}, which has no outputs", i));
  }
  // Compare the data: copies of a character share it.
  const CharacterData& data = **item.character;
  const std::uint32_t character = item.crowd->instance(item.instance)->character;
  const runtime::CrowdMember* member = item.crowd->member(character);
  if (member == nullptr || &*member->character != &data)
    return refuse("names another character than its crowd was made of");
  for (const std::uint32_t i : shown) {
    if (item.crowd->instance(i)->character != character) {
      return refuse(fmt::format("shows instance {}, which has another character", i));
    }
  }
  if (item.control_meshes && !writes_drivers(*member)) {
    return refuse("shows drivers, whose vertices its crowd does not write (CrowdOutputs::control_meshes)");
  }
  if (!writes_what_is_read(item.crowd->outputs())) {
    return refuse(
        "has a crowd whose positions are not tight, or whose normals and tangents are not octahedral words "
        "side by side");
  }
  if (!item.weights.empty() && item.weights.size() != data.vertex_count()) {
    return refuse(fmt::format("has {} weights for {} vertices", item.weights.size(), data.vertex_count()));
  }
  return {};
}

// Returns the colour of a part. White: a texture or the vertices have the colour.
glm::vec4 part_color(const DrawItem& item, const MeshPart& part, bool textured) {
  if (item.color) return *item.color;
  if (part.material < 0) return textured ? glm::vec4(1) : kClay;
  const glm::vec4 color = (*item.character)->materials[part.material].base_color;
  const bool white = glm::min(color.r, glm::min(color.g, color.b)) > 0.95f;
  return white && !textured ? kClay : color;
}

// Returns true if a muscle's line moves the mesh.
bool follows_a_muscle(const CharacterData& data, const CharacterMesh& mesh) {
  return std::ranges::any_of(data.passes, [&](const PalettePass& pass) {
    return pass.kernel == PoseKernel::kActionLine && pass.first_entry == mesh.first_entry;
  });
}

// Returns the colours of a mesh's vertices in the model's order; null without.
const std::vector<glm::vec4>* colors_of(const CharacterMesh& mesh, const MaterialTextures* textures) {
  if (textures == nullptr || mesh.control) return nullptr;
  const auto found = textures->colors.find(mesh.name);
  const bool fits = found != textures->colors.end() && found->second.size() == mesh.source_vertex.size();
  return fits ? &found->second : nullptr;
}

// Appends an edge of zero length for each vertex without triangles, and returns their number.
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

Geometry make_geometry(const CharacterData& character, const MaterialTextures* textures) {
  Geometry made;
  bool has_uvs = false;
  for (const CharacterMesh& mesh : character.meshes) {
    MeshGeometry place;
    place.first_index = static_cast<std::uint32_t>(made.indices.size());
    if (!mesh.control) {
      for (const glm::uvec3& t : mesh.triangles) made.indices.insert(made.indices.end(), {t.x, t.y, t.z});
      place.first_point = static_cast<std::uint32_t>(made.edges.size());
      place.point_count = append_points(mesh, made.edges);
      has_uvs = has_uvs || !mesh.uvs.empty();
    }
    const std::vector<glm::uvec2> edges = unique_edges(mesh.triangles);
    place.first_edge = static_cast<std::uint32_t>(made.edges.size());
    place.edge_count = static_cast<std::uint32_t>(edges.size());
    made.edges.insert(made.edges.end(), edges.begin(), edges.end());
    made.meshes.push_back(place);
  }
  for (const CharacterMesh& mesh : character.meshes) {
    const std::vector<glm::vec4>* const colors = colors_of(mesh, textures);
    if (colors == nullptr) continue;
    made.colors.resize(character.vertex_count(), glm::vec4(1));
    for (std::size_t v = 0; v < mesh.source_vertex.size(); ++v) {
      made.colors[mesh.first_vertex + v] = (*colors)[mesh.source_vertex[v]];
    }
  }
  if (!has_uvs) return made;
  made.uvs.resize(character.vertex_count(), glm::vec2(0.0f));
  for (const CharacterMesh& mesh : character.meshes) {
    std::copy(mesh.uvs.begin(), mesh.uvs.end(), made.uvs.begin() + mesh.first_vertex);
  }
  return made;
}

Result<void> check_scene(const Scene& scene) {
  for (std::size_t i = 0; i < scene.items.size(); ++i) {
    PELT_TRY(check_item(scene.items[i], i));
  }
  return {};
}

void append_draws(const DrawItem& item, std::uint32_t index, std::span<const MeshGeometry> meshes, Draws& draws) {
  const runtime::CrowdMember& member = *item.crowd->member(item.crowd->instance(item.instance)->character);
  for (std::uint32_t m = 0; m < meshes.size(); ++m) {
    const CharacterMesh& mesh = (*item.character)->meshes[m];
    const std::uint32_t written = member.mesh_vertices[m];
    if (written == shared::kNoIndex) continue;
    const DrawnMesh drawn{.item = index, .crowd_vertex = written, .character_vertex = mesh.first_vertex};
    const MeshGeometry& place = meshes[m];
    if ((mesh.control ? item.control_meshes : item.wire) && place.edge_count > 0) {
      draws.lines.push_back({.mesh = drawn,
                             .first_edge = place.first_edge,
                             .edge_count = place.edge_count,
                             .control = mesh.control,
                             .muscle = follows_a_muscle(**item.character, mesh)});
    }
    if (mesh.control || !item.skin) continue;
    if (place.point_count > 0) {
      draws.points.push_back({.mesh = drawn,
                              .first_edge = place.first_point,
                              .count = place.point_count,
                              .color = item.color.value_or(kDots)});
    }
    const bool colored = item.weights.empty() && colors_of(mesh, item.textures) != nullptr;
    for (const MeshPart& part : mesh.parts) {
      if (part.triangle_count == 0) continue;
      MaterialTextures::OfMaterial material;
      if (item.textures != nullptr && part.material >= 0 && !mesh.uvs.empty() && item.weights.empty() &&
          static_cast<std::size_t>(part.material) < item.textures->materials.size()) {
        material = item.textures->materials[static_cast<std::size_t>(part.material)];
      }
      const bool textured = material.image >= 0;
      draws.surfaces.push_back(
          {.mesh = drawn,
           .first_index = place.first_index + 3 * part.first_triangle,
           .index_count = 3 * part.triangle_count,
           .color = part_color(item, part, textured || colored),
           .texture = textured ? &item.textures->images[static_cast<std::size_t>(material.image)] : nullptr,
           .alpha_mask = textured && material.alpha_mask,
           .vertex_colors = colored});
    }
  }
}

}  // namespace pelt::samples
