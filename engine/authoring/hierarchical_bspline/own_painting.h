// SPDX-License-Identifier: MIT
// Skin that a surface made from it cannot carry: at lips, in thin sheets, at parts painted 0/1. It follows the joints
// by its own painting instead, as control vertices do, by a share that fades over the skin.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <pelt/sparse_rows.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/hierarchical_bspline/joints.h"

namespace pelt::hierarchical_bspline {

class OwnPainting {
 public:
  // Spreads the painting of the targets along themselves. `spread`: HierarchicalBsplineParameters.
  OwnPainting(std::optional<float> spread, const DeformerInput& input);

  // Vertices are those of the targets of full detail, laid end to end.
  std::span<const Influence> row(std::size_t vertex) const { return rows_.row(vertex); }
  void set_share(std::size_t vertex, float share) { shares_[vertex] = share; }

  // Fades the shares and lays the motion by the skin's painting over the bindings, one per target. Adds a pass.
  void lay_over(Joints& joints, std::span<MeshBinding> bindings);

 private:
  void fade();

  const DeformerInput& input_;
  Mesh skin_;
  SparseRows rows_;  // over the model's bound joints
  std::vector<float> shares_;
};

}  // namespace pelt::hierarchical_bspline
