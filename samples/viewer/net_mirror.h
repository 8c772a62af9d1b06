// SPDX-License-Identifier: MIT
// The other side of a hierarchical B-spline, across x = 0 of model space at bind (Forsey 1994: the editor enforces
// bilateral symmetry).
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/skeleton.h>

#include "samples/viewer/handle.h"

namespace pelt::viewer {

// Greatest distance of a vertex from a mirrored point, in sizes of the character: half an edge of a coarse net.
inline constexpr float kMirrorReach = 0.03f;

inline constexpr glm::vec3 kMirror(-1.0f, 1.0f, 1.0f);

// Returns the mirror images of control vertices: for each the stored vertex of its level that is nearest to the
// mirrored one, at most kMirrorReach times `size` metres away, if there is one and it is not among `vertices`. Errors:
// the rig no longer has such a surface or level.
Result<std::vector<ControlVertex>> images_of(Rig rig, std::span<const ControlVertex> vertices, float size);

// Returns the attachment to joints of the other side, by their names.
SurfaceAttachment mirrored(SurfaceAttachment attachment, const Skeleton& skeleton);

// Returns the rig in which the mirror images have the keys, limits, separations and masses of these vertices, mirrored.
// Errors: as above.
Result<Rig> with_mirrored(Rig rig, std::span<const ControlVertex> vertices, const Skeleton& skeleton, float size);

}  // namespace pelt::viewer
