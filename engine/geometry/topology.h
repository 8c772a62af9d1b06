// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/mesh.h>

namespace pelt {

// XXH3-64 of the number of vertices and the triangles, low word first: equal where numbers of vertices and triangles
// mean the same on both meshes, wherever the vertices are.
glm::uvec2 topology_hash(const Mesh& mesh);

}  // namespace pelt
