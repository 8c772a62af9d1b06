// SPDX-License-Identifier: MIT
// Parts of a mesh that follow one joint: eyes, teeth, a helmet, plates of armour.
#pragma once

#include <vector>

#include <pelt/mesh.h>

namespace pelt {

// Marks the vertices whose connected part practically follows one joint. Points without triangles are in no part,
// unless all parts are rigid. A mesh without weights has no such parts.
std::vector<bool> find_rigid_parts(const Mesh& mesh);

}  // namespace pelt
