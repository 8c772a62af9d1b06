// SPDX-License-Identifier: MIT
// Normals and tangents of a glTF mesh, and replacements for missing ones.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <pelt/mesh.h>

#include "engine/authoring/model/gltf/budget.h"

namespace pelt {

// Returns whether "NORMAL" or "TANGENT" of a primitive, and its targets' offsets of it, are read. Without normals there
// are no tangents, and only existing attributes have offsets (glTF 2.0, sections 3.7.2.1 and 3.7.2.2).
bool gives_direction(const tinygltf::Primitive& primitive, const std::string& name);

// Sets missing normals to flat ones, those of the triangles, and their changes in morph targets. If triangles differ,
// the vertex takes their mean by area; returns how many such vertices there are.
Result<std::size_t> make_normals(const std::vector<bool>& missing, GltfBudget& budget, Mesh& mesh);

// Sets missing tangents: by MikkTSpace if there are UVs, else any across the normal. Returns how many vertices take the
// mean of several tangents.
std::size_t make_tangents(const std::vector<bool>& missing, bool uvs, Mesh& mesh);

}  // namespace pelt
