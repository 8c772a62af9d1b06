// SPDX-License-Identifier: MIT
// Binds skin to curves: finds the position of each vertex along its curves and how much it follows each (Yang et al.
// 2006, "Binding Skin to the Curve Skeleton"; docs/mathematics.md section 2.7).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <pelt/curve_settings.h>

#include "engine/authoring/chain/offers.h"
#include "engine/authoring/deformer/builder.h"

namespace pelt::chain {

// The curves of every vertex of a target; empty for vertices that do not show the layer.
using Shares = std::vector<std::vector<CurveShare>>;

struct AttachSettings {
  CurveBinding binding = CurveBinding::kAuto;
  ShareSettings shares;
  std::span<const CurveWeight> weights;  // the rig's factors, by curve name
  Painting painting;
  double extent = 0;  // largest_extent() of the input, metres
};

// Returns the indices in input.targets of the targets that shape the curves. Meshes without triangles, such as a
// muscle's line, follow curves but do not shape them, unless there are no others.
std::vector<std::size_t> shaping_targets(const DeformerInput& input);

// Returns the largest edge of the bounding box of the targets, metres.
float largest_extent(const DeformerInput& input);

// Binds vertices to curves. Targets whose borders have equal positions and weights count as one skin, so that no seam
// opens between meshes.
class Attacher {
 public:
  // Keeps all arguments by reference. The constructor reads only the chains and the lengths of `curves`; attach() also
  // reads their skin distances, which may change before it.
  Attacher(const AttachSettings& settings, std::span<const Curve> curves, const DeformerInput& input);
  Attacher(const Attacher&) = delete;
  ~Attacher();

  // Returns the curves and weights of every target, in order. `rest` holds the frames of the curves at bind; `progress`
  // receives the finished fraction of this call, 0 to 1.
  Result<std::vector<Shares>> attach(const RestCurves& rest, const std::function<void(double)>& progress) const;

 private:
  class Skin;
  Trust trust_;
  std::vector<Skin> skins_;
  std::size_t target_count_;
};

}  // namespace pelt::chain
