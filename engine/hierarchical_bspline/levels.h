// SPDX-License-Identifier: MIT
// The stored control vertices of a surface in the builder: a control mesh a level, each moved in the stage after the
// levels that it refers to (docs/mathematics.md section 4).
//
//   level 0   joints, parts of joints, the root --> control mesh "surface"
//   level 1   tangent-plane frames of level 0, joints --> control mesh "surface level 1"
//   ...       and, of vertices with limits or secondary action, a second mesh that holds them where these put them
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>

#include "engine/deformer/builder.h"
#include "engine/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

// Where stored vertices are found in the character.
struct PosedVertex {
  std::uint32_t vertex;  // of the instance
  std::uint32_t stage;   // the first in which a pass can read it
};

// Adds everything that poses the stored vertices, in their order. Errors name the layer, the level and the joint: a
// joint that does not exist, a vertex that is attached, limited or swings twice, key poses as in key_pose::add_pass.
Result<std::vector<PosedVertex>> add_levels(const HierarchicalBsplineParameters& parameters, Surface& surface,
                                            const DeformerInput& input);

// A pass of tangent-plane frames.
class FramePass {
 public:
  FramePass(const Surface& surface, const std::vector<PosedVertex>& posed);

  // Adds the frame at the point that the shares make and returns its number in the pass. Precondition: the point has a
  // frame at bind.
  std::uint32_t add(std::span<const Share> shares);
  bool empty() const { return pass_.record_count == 0; }
  // Adds the pass to the builder and returns its first palette entry.
  std::uint32_t finish(CharacterBuilder& builder) { return builder.add_pass(std::move(pass_)); }

 private:
  const Surface& surface_;
  const std::vector<PosedVertex>& posed_;
  PalettePass pass_;
};

// Returns the moves of a level's stored vertices (SurfaceLevel::moves) as its control mesh takes them: by the places of
// the vertices in it, in model space at bind.
std::vector<VertexOffset> moves_at_bind(const Surface& surface, std::uint32_t level,
                                        std::span<const VertexOffset> moves);

// Returns the point that the shares make of the stored vertices at bind.
SurfacePoint at_bind(const Surface& surface, std::span<const Share> shares);

}  // namespace pelt::hierarchical_bspline
