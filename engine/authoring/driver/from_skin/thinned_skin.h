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
  SparseRows weights;                 // over the model's bound joints; empty if one of the vertices has none
  std::vector<std::uint32_t> source;  // vertex of the targets, laid end to end, for each vertex
  bool is_skin;                       // the skin is as coarse as that, and all of it is there
};

// Welds and simplifies the targets (shown_surface) to about `triangles` triangles: more where limbs are thin, whose
// edges are at most `of_distance` of the distance to the bone (limb_sizing.h), and denser by `density` near joints
// (joint_density.h).
ThinnedSkin thinned_skin(ShownSurface surface, std::size_t triangles, float density, double of_distance,
                         const DeformerInput& input);

}  // namespace pelt::from_skin
