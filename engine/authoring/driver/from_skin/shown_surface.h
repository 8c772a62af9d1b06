// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/sparse_rows.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt::from_skin {

// The surface that shows the layer: its targets, or only those with weights, laid end to end.
struct ShownSurface {
  struct Part {
    std::uint32_t first_vertex;
    const SparseRows* weights;  // weights of the target, which may have none
  };
  Mesh mesh;  // positions and triangles only
  std::vector<Part> parts;

  // Returns the weights of a vertex in its target; empty if the target has none.
  std::span<const Influence> weights(std::uint32_t vertex) const;
};
ShownSurface shown_surface(const DeformerInput& input, bool with_weights);

}  // namespace pelt::from_skin
