// SPDX-License-Identifier: MIT
// Stored control vertices of a level as a mesh.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>

#include <pelt/mesh.h>

#include "engine/authoring/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

// Returns the mesh of some stored vertices of a level at bind, in their order, without a name. A quad whose four
// corners are all among them becomes two triangles.
Mesh make_control_mesh(const Surface& surface, std::uint32_t level, std::span<const std::uint32_t> vertices);

// Returns the unit normal of the surface at bind at the point that a stored vertex influences most; +z if it has none.
glm::dvec3 normal_at(const Surface& surface, const StoredVertex& vertex);

}  // namespace pelt::hierarchical_bspline
