// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/level_mapping.h"

#include <algorithm>

#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>

#include "engine/character/base/invalid.h"

namespace pelt {

Result<LevelMapping> LevelMapping::create(const Mesh& whole, const MeshLevel& level, unsigned threads) {
  std::vector<glm::uvec3> triangles = whole.triangles;
  drop_flat(whole.positions, triangles);
  const Result<TriangleTree> tree = TriangleTree::create(whole.positions, triangles);
  if (!tree) return invalid("mesh '{}' has levels of detail, but no triangle with area", whole.name);
  LevelMapping mapping;
  mapping.level_ = &level;
  for (const TriangleTree::NearPoint& near : tree->nearest_of_each(level.mesh.positions, threads)) {
    mapping.closest_.push_back(near.closest);
  }
  return mapping;
}

std::vector<float> LevelMapping::carry(std::span<const float> values) const { return values_at(closest_, values); }

MorphTarget LevelMapping::carry(const MorphTarget& target) const {
  const auto at = [&](const std::vector<glm::vec3>& offsets) { return values_at(closest_, std::span(offsets)); };
  return {target.name, at(target.offsets), target.weight, at(target.normals), at(target.tangents)};
}

SparseRows LevelMapping::carry(const RowOfVertex& rows) const {
  SparseRows result;
  for (const ClosestPoint& at : closest_) append_weights_at(at, rows, result);
  return result;
}

std::vector<MorphTarget> LevelMapping::targets_of(std::span<const MorphTarget> whole) const {
  std::vector<MorphTarget> targets;
  for (const MorphTarget& wanted : whole) {
    const auto found = std::ranges::find(mesh().morph_targets, wanted.name, &MorphTarget::name);
    if (found != mesh().morph_targets.end()) {
      targets.push_back(*found);
    } else {
      targets.push_back({wanted.name, std::vector<glm::vec3>(mesh().positions.size(), glm::vec3(0.0f)), 0.0f});
    }
  }
  return targets;
}

}  // namespace pelt
