// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>

#include <pelt/mesh.h>

#include "engine/deformer/builder.h"

namespace pelt::vertex_frame {

// The pass that estimates the frame of every vertex of a control mesh from its neighbours
// (shaders/driver/vertex_frame/pose.h). `triangles`: those that have area, of `mesh`. A vertex of none has a frame that
// is zero and must not be used. Returns the first palette entry, one a vertex.
std::uint32_t add_pass(const Mesh& mesh, std::span<const glm::uvec3> triangles, std::size_t control_mesh,
                       CharacterBuilder& builder);

}  // namespace pelt::vertex_frame
