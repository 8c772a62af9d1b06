// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/mesh.h>

namespace pelt {

// Returns the XXH3-64 hash of the number of vertices and the triangles, low word first. It is equal for two meshes with
// the same vertex count and the same triangles, wherever the vertices are.
glm::uvec2 topology_hash(const Mesh& mesh);

}  // namespace pelt
