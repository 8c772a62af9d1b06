// SPDX-License-Identifier: MIT
// Maps values of a mesh to the vertices of one of its levels of detail.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/tools/triangle_tree.h>

namespace pelt {

class LevelMapping {
 public:
  // `level` must outlive the result. `threads`: 0 for all CPUs. Errors: the mesh has no triangle with area.
  static Result<LevelMapping> create(const Mesh& whole, const MeshLevel& level, unsigned threads);

  std::uint32_t of() const { return level_->of; }
  std::uint32_t level() const { return level_->level; }
  const Mesh& mesh() const { return level_->mesh; }

  // Returns the values at the closest points of the mesh. Takes one per vertex of the mesh and returns one per vertex
  // of the level.
  std::vector<float> carry(std::span<const float> values) const;
  MorphTarget carry(const MorphTarget& target) const;
  SparseRows carry(const RowOfVertex& rows) const;

  // Returns the level's own targets in the order of the mesh's, by name. A target that the level lacks moves nothing.
  std::vector<MorphTarget> targets_of(std::span<const MorphTarget> whole) const;

 private:
  const MeshLevel* level_ = nullptr;
  std::vector<ClosestPoint> closest_;  // on the mesh, for each vertex of the level
};

}  // namespace pelt
