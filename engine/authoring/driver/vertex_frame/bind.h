// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>

#include <pelt/mesh.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt::vertex_frame {

// Adds the pass that estimates the frame of every vertex of a control mesh from its neighbours
// (shaders/driver/vertex_frame/pose.h). `triangles`: those of `mesh` that have area. A vertex in no triangle has a zero
// frame, which must not be used. Returns the first palette entry; there is one per vertex.
std::uint32_t add_pass(const Mesh& mesh, std::span<const glm::uvec3> triangles, std::size_t control_mesh,
                       CharacterBuilder& builder);

// Adds the pass for a streamed control mesh with axis points (DriverParameters::axis_points), from which the frames
// follow exactly. `mesh`: without the axis points. Returns the first palette entry.
std::uint32_t add_axis_pass(const Mesh& mesh, std::size_t control_mesh, CharacterBuilder& builder);

}  // namespace pelt::vertex_frame
