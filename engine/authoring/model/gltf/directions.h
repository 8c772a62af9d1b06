// SPDX-License-Identifier: MIT
// Normals and tangents of a glTF mesh, and those that are made where the file has none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <pelt/mesh.h>

#include "engine/authoring/model/gltf/budget.h"

namespace pelt {

// Returns whether "NORMAL" or "TANGENT" of a primitive, and its targets' offsets of it, are read. Without normals there
// are no tangents, and nothing that a primitive lacks has offsets (glTF 2.0, sections 3.7.2.1 and 3.7.2.2).
bool gives_direction(const tinygltf::Primitive& primitive, const std::string& name);

// Gives the vertices that miss one a flat normal, that of their triangles, and in morph targets what it changes by.
// Where triangles differ the vertex takes their mean by area; returns how many such vertices there are.
Result<std::size_t> make_normals(const std::vector<bool>& missing, GltfBudget& budget, Mesh& mesh);

// Gives the vertices that miss one a tangent: by MikkTSpace if there are UVs, or else any across the normal. Returns
// how many vertices take the mean of several tangents.
std::size_t make_tangents(const std::vector<bool>& missing, bool uvs, Mesh& mesh);

}  // namespace pelt
