// SPDX-License-Identifier: MIT
// Parts of a mesh that follow one joint alone: eyes, teeth, a helmet, plates of armour.
#pragma once

#include <vector>

#include <pelt/mesh.h>

namespace pelt {

// Marks the vertices whose connected part follows practically one joint alone. Points without triangles are no part. A
// mesh without weights has no such parts.
std::vector<bool> find_rigid_parts(const Mesh& mesh);

}  // namespace pelt
