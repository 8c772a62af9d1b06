// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <pelt/move_driver.h>

#include "engine/authoring/hierarchical_bspline/base.h"
#include "engine/authoring/hierarchical_bspline/bind.h"
#include "engine/authoring/hierarchical_bspline/levels.h"
#include "engine/authoring/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

std::optional<Character> move_bound(const LayerEdit& edit) {
  const auto& before = edit.old_parameters<HierarchicalBsplineParameters>();
  const auto& after = edit.new_parameters<HierarchicalBsplineParameters>();
  if (before.levels.size() != after.levels.size()) return std::nullopt;
  HierarchicalBsplineParameters moved = before;
  for (std::size_t l = 0; l < after.levels.size(); ++l) moved.levels[l].moves = after.levels[l].moves;
  if (moved != after || is_as_made(before) != is_as_made(after)) return std::nullopt;
  const Result<Surface> surface = Surface::create(after, "the surface");
  if (!surface) return std::nullopt;
  // The control meshes of the levels that store vertices, in order.
  std::vector<std::string> meshes;
  for (const MeshReport& mesh : edit.meshes) {
    if (mesh.is_driver_of(edit.layer)) meshes.push_back(mesh.mesh);
  }
  Character character = edit.character;
  std::size_t next = 0;
  for (std::uint32_t level = 0; level < after.levels.size(); ++level) {
    const auto stored = std::ranges::equal_range(surface->vertices(), level, {}, &StoredVertex::level);
    if (stored.empty()) continue;
    if (next == meshes.size()) return std::nullopt;
    const std::string& name = meshes[next++];
    // A move stores its vertex, and so needs another control mesh unless the level stores the vertex anyway.
    const auto mesh = std::ranges::find(character->meshes, name, &CharacterMesh::name);
    if (mesh == character->meshes.end()) return std::nullopt;
    if (!std::ranges::equal(mesh->binding.points, stored, {}, {}, &StoredVertex::rest)) return std::nullopt;
    const std::vector<VertexOffset>& moves = after.levels[level].moves;
    if (moves == before.levels[level].moves) continue;
    Result<Character> now = move_driver_vertices(character, name, moves_at_bind(*surface, level, moves));
    if (!now) return std::nullopt;
    character = std::move(*now);
  }
  if (next != meshes.size()) return std::nullopt;
  return character;
}

}  // namespace pelt::hierarchical_bspline
