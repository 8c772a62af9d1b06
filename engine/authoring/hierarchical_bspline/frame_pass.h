// SPDX-License-Identifier: MIT
// Tangent-plane frames of a surface whose stored vertices are posed.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

// The location of a stored vertex in the character.
struct PosedVertex {
  std::uint32_t vertex;  // of the instance
  std::uint32_t stage;   // the first stage in which a pass can read it
};

// Returns the point that the shares make of the stored vertices at bind.
SurfacePoint at_bind(const Surface& surface, std::span<const Share> shares);

// How a frame moves the skin that it carries.
enum class FrameKind {
  kTangent,  // its first axis is S_u / |S_u|, as in the paper
  kMesh,     // it stretches and shears with the surface, whichever way u runs
};

// A pass of tangent-plane frames.
class FramePass {
 public:
  FramePass(const Surface& surface, const std::vector<PosedVertex>& posed, FrameKind kind);

  // Returns true if the point that the shares make has a frame at bind.
  bool has_frame(std::span<const Share> shares) const { return at_bind(surface_, shares).has_frame(); }
  // Adds the frame at such a point and returns its number in the pass.
  std::uint32_t add(std::span<const Share> shares);
  bool empty() const { return pass_.record_count == 0; }
  // Adds the pass to the builder and returns its first palette entry.
  std::uint32_t finish(CharacterBuilder& builder) { return builder.add_pass(std::move(pass_)); }

 private:
  const Surface& surface_;
  const std::vector<PosedVertex>& posed_;
  FrameKind kind_;
  PalettePass pass_;
};

}  // namespace pelt::hierarchical_bspline
