// SPDX-License-Identifier: MIT
// Copies edits of a hierarchical B-spline to the other side (Forsey 1994: the editor enforces bilateral symmetry).
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/skeleton.h>

#include "samples/viewer/handle.h"

namespace pelt::viewer {

// Greatest distance of a vertex from a mirrored point, in sizes of the character: half an edge of a coarse net.
inline constexpr float kMirrorReach = 0.03f;

inline constexpr glm::vec3 kMirror(-1.0f, 1.0f, 1.0f);

// Returns the rig in which the mirror images of control vertices, across x = 0 of model space at bind, have the same
// attachments, keys, limits and masses as these, with joints of the other side by their names. An image is the stored
// vertex of the level nearest to the mirrored one, at most kMirrorReach times `size` metres away; vertices without one,
// or whose image is among `vertices`, stay as they are. Errors: the rig no longer has such a surface, level or vertex.
Result<Rig> with_mirrored(Rig rig, std::span<const ControlVertex> vertices, const Skeleton& skeleton, float size);

// Returns the vertices with their mirror images.
Result<std::vector<ControlVertex>> with_images(Rig rig, std::span<const ControlVertex> vertices, float size);

}  // namespace pelt::viewer
