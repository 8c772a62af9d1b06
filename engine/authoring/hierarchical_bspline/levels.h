// SPDX-License-Identifier: MIT
// The stored control vertices of a surface in the builder: one control mesh per level, each moved in the stage after
// the levels that it refers to (docs/mathematics.md section 4).
//
//   level 0   joints, parts of joints, the root --> control mesh "surface"
//   level 1   tangent-plane frames of level 0, joints --> control mesh "surface level 1"
//   ...       for vertices with limits or secondary action, also a second mesh that these have shifted
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/hierarchical_bspline/frame_pass.h"
#include "engine/authoring/hierarchical_bspline/joints.h"
#include "engine/authoring/hierarchical_bspline/painting.h"
#include "engine/authoring/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

// Adds everything that poses the stored vertices, in their order. Errors name the layer, the level and the joint: a
// missing joint, a vertex that is attached, limited or swings twice, key poses as in key_pose::add_pass. `painting`:
// not null if the rig attaches vertices as painted.
Result<std::vector<PosedVertex>> add_levels(const HierarchicalBsplineParameters& parameters, const Surface& surface,
                                            const Painting* painting, Joints& joints, const DeformerInput& input);

// Returns the moves of a level's stored vertices (SurfaceLevel::moves) as its control mesh takes them: by index in it,
// in model space at bind.
std::vector<VertexOffset> moves_at_bind(const Surface& surface, std::uint32_t level,
                                        std::span<const VertexOffset> moves);

}  // namespace pelt::hierarchical_bspline
