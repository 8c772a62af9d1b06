// SPDX-License-Identifier: MIT
// Stored control vertices of a level as a mesh.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>

#include <pelt/mesh.h>

#include "engine/authoring/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

// Returns the mesh of some stored vertices of a level at bind, in their order, without a name: a quad as two triangles
// wherever all four corners are among them.
Mesh make_control_mesh(const Surface& surface, std::uint32_t level, std::span<const std::uint32_t> vertices);

// Returns the unit normal of the surface at bind where a stored vertex has the most influence; +z where there is none.
glm::dvec3 normal_at(const Surface& surface, const StoredVertex& vertex);

}  // namespace pelt::hierarchical_bspline
