// SPDX-License-Identifier: MIT
#include <algorithm>

#include <pelt/move_driver.h>
#include <pelt/surface_ffd.h>

#include "engine/authoring/deformer/layer_edit.h"
#include "engine/authoring/surface_ffd/bind.h"
#include "engine/authoring/surface_ffd/driver.h"

namespace pelt::surface_ffd {

std::optional<Character> move_bound(const LayerEdit& edit) {
  const auto& after = edit.new_parameters<SurfaceFfdParameters>();
  const std::vector<VertexOffset>& offsets = after.driver.offsets;
  SurfaceFfdParameters moved = edit.old_parameters<SurfaceFfdParameters>();
  // Without offsets, skin does not follow each vertex of a driver made from it: only a bind changes that.
  if (is_made_from_skin(after.driver) && moved.driver.offsets.empty() != offsets.empty()) return std::nullopt;
  moved.driver.offsets = offsets;
  if (moved != after) return std::nullopt;
  Character character = edit.character;
  for (const MeshReport& mesh : edit.meshes) {
    if (!mesh.is_driver_of(edit.layer)) continue;
    // Layers that share a driver move it in the same way; the first of them does so for all.
    const bool agree = std::ranges::all_of(mesh.drives, [&](std::uint32_t layer) {
      const auto* other = edit.after.layers[layer].deformer.get_if<SurfaceFfdParameters>();
      return other != nullptr && other->driver.offsets == offsets;
    });
    if (!agree) return std::nullopt;
    if (mesh.drives.front() != edit.layer) continue;
    Result<Character> next = move_driver_vertices(character, mesh.mesh, offsets);
    if (!next) return std::nullopt;
    character = std::move(*next);
  }
  return character;
}

}  // namespace pelt::surface_ffd
