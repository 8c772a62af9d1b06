// SPDX-License-Identifier: MIT
// Morph targets of a glTF document.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <pelt/mesh.h>

#include "engine/authoring/model/gltf/budget.h"
#include "engine/authoring/model/gltf/document.h"

namespace pelt {

// Numbers of values that are invalid and replaced, by attribute.
using InvalidCounts = std::map<std::string, std::size_t>;

// Makes the mesh's targets, still without offsets. Names are those that exporters write to extras.targetNames, else
// "target_3" and so on; rest weights are the node's, else the mesh's.
Result<void> name_targets(const tinygltf::Mesh& source, const tinygltf::Node& node, GltfBudget& budget, Mesh& mesh);

// Appends the offsets of a primitive's `count` vertices to every target: 0 if a target has none. Offsets of normals and
// tangents stay empty until a primitive has some. Those that are not finite are 0 and counted.
Result<void> append_offsets(const GltfDocument& document, const tinygltf::Primitive& primitive, std::size_t count,
                            GltfBudget& budget, Mesh& mesh, InvalidCounts& invalid);

}  // namespace pelt
