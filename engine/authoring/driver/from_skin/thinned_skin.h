// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/sparse_rows.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/driver/from_skin/shown_surface.h"

namespace pelt::from_skin {

// The targets of a layer as one coarse mesh, on some of their vertices.
struct ThinnedSkin {
  Mesh mesh;                          // positions and triangles only
  SparseRows weights;                 // over the model's bound joints; empty if one of the vertices has no weights
  std::vector<std::uint32_t> source;  // for each vertex, its vertex in the targets laid end to end
  bool is_skin;                       // true if the skin was already this coarse and is used whole
};

// Welds and simplifies the targets (shown_surface) to about `triangles` triangles; to more if limbs are thin, so that
// their edges are at most `of_distance` of the distance to the bone (limb_sizing.h); denser by `density` near joints
// (joint_density.h).
ThinnedSkin thinned_skin(ShownSurface surface, std::size_t triangles, float density, double of_distance,
                         const DeformerInput& input);

}  // namespace pelt::from_skin
