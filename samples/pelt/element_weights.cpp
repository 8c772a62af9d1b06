// SPDX-License-Identifier: MIT
#include "samples/pelt/element_weights.h"

#include <fmt/format.h>

#include <algorithm>

#include <pelt/evaluate.h>
#include <pelt/nearest_name.h>
#include <pelt/tools/inspect.h>

#include "samples/pelt/input.h"

namespace pelt::samples {

Result<std::vector<float>> element_weights(const Character& character, const std::string& element) {
  const CharacterData& data = *character;
  const auto shares = [&](SourceKind kind, std::uint32_t index) { return source_shares(data, kind, {&index, 1}); };
  if (const auto joint = data.skeleton.find(element)) return shares(SourceKind::kJoint, *joint);
  constexpr std::string_view kVertex = " vertex ";
  if (const std::size_t end = element.rfind(kVertex); end != std::string::npos) {
    const CharacterMesh* mesh = find_mesh(data, element.substr(0, end));
    const auto number = parse_number(std::string_view(element).substr(end + kVertex.size()), 0u, ~0u);
    const auto packed = mesh != nullptr && number ? packed_vertex(*mesh, *number) : std::nullopt;
    if (packed) return shares(SourceKind::kVertex, mesh->first_vertex + *packed);
    return fail(ErrorCode::kNotFound, fmt::format("there is no control mesh with the {}", element));
  }
  const std::optional<std::uint32_t> number = parse_number(element, 0u, ~0u);
  if (!number) return tl::unexpected(unknown_name("joint", "joints", element, data.skeleton.joints, &Joint::name));
  if (*number >= data.palette_size) {
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no palette entry {}; there are {}, numbered from 0", *number, data.palette_size));
  }
  return shares(SourceKind::kEntry, *number);
}

std::map<std::uint32_t, float> moving_vertices(const CharacterData& data, std::uint32_t vertex) {
  std::map<std::uint32_t, float> shares{{vertex, 1.0f}};
  // Vertices only follow earlier ones.
  for (auto of = shares.rbegin(); of != shares.rend(); ++of) {
    const auto mesh = std::ranges::find_if(
        data.meshes, [&](const CharacterMesh& one) { return of->first - one.first_vertex < one.vertex_count(); });
    for (const VertexInfluence& influence : influences_of(*mesh, of->first - mesh->first_vertex)) {
      for (const EntrySource& source : entry_sources(data, influence.entry)) {
        if (source.kind == SourceKind::kVertex) shares[source.index] += of->second * influence.weight * source.share;
      }
    }
  }
  return shares;
}

std::optional<std::uint32_t> shifted_vertex(const CharacterData& data, const CharacterMesh& mesh,
                                            std::uint32_t vertex) {
  const std::vector<EntrySource> sources = entry_sources(data, influences_of(mesh, vertex).front().entry);
  return sources.size() == 1 && sources[0].kind == SourceKind::kVertex ? std::optional(sources[0].index) : std::nullopt;
}

std::vector<glm::vec3> shifted_positions(const CharacterData& data, const CharacterMesh& mesh,
                                         std::span<const glm::vec3> positions) {
  std::vector<glm::vec3> shifted(mesh.vertex_count());
  to_source_order<glm::vec3>(mesh, positions, shifted);
  std::map<std::uint32_t, std::uint32_t> source;  // of vertices of the instance
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) source[mesh.first_vertex + v] = mesh.source_vertex[v];
  for (const CharacterMesh& other : data.meshes) {
    for (std::uint32_t v = 0; other.control && other.deformer == mesh.deformer && v < other.vertex_count(); ++v) {
      const std::optional<std::uint32_t> before = shifted_vertex(data, other, v);
      if (!before || !source.contains(*before)) continue;
      source[other.first_vertex + v] = source[*before];
      shifted[source[*before]] = positions[other.first_vertex + v];
    }
  }
  return shifted;
}

}  // namespace pelt::samples
