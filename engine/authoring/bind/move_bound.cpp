// SPDX-License-Identifier: MIT
#include <pelt/move_bound.h>

#include "engine/authoring/deformer/layer_edit.h"
#include "engine/authoring/rig/deformer_entry.h"

namespace pelt {

std::optional<Character> move_bound(const Character& character, const BindReport& report, const Rig& before,
                                    const Rig& after) {
  if (before.layers.size() != after.layers.size()) return std::nullopt;
  Rig moved = before;
  std::vector<std::uint32_t> edited;
  for (std::uint32_t l = 0; l < after.layers.size(); ++l) {
    const DeformerParameters& parameters = after.layers[l].deformer;
    if (parameters == before.layers[l].deformer) continue;
    if (parameters.name() != before.layers[l].deformer.name()) return std::nullopt;
    if (deformer_entry(parameters).move_bound == nullptr) return std::nullopt;
    moved.layers[l].deformer = parameters;
    edited.push_back(l);
  }
  if (moved != after) return std::nullopt;
  std::optional<Character> result = character;
  for (const std::uint32_t l : edited) {
    const LayerEdit edit{*result, report.meshes, report.points, before, after, l};
    result = deformer_entry(after.layers[l].deformer).move_bound(edit);
    if (!result) break;
  }
  return result;
}

}  // namespace pelt
