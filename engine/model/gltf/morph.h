// SPDX-License-Identifier: MIT
// Morph targets of a glTF document.
#pragma once

#include <cstddef>

#include <pelt/mesh.h>

#include "engine/model/gltf/budget.h"
#include "engine/model/gltf/document.h"

namespace pelt {

// Makes the mesh's targets, still without offsets. Names: those that exporters keep in extras.targetNames, "target_3"
// for others. Weights at rest: the node's, or else the mesh's.
Result<void> name_targets(const tinygltf::Mesh& source, const tinygltf::Node& node, GltfBudget& budget, Mesh& mesh);

// Appends to every target the offsets of a primitive's `count` vertices: 0 for targets that move no positions.
Result<void> append_offsets(const GltfDocument& document, const tinygltf::Primitive& primitive, std::size_t count,
                            GltfBudget& budget, Mesh& mesh);

}  // namespace pelt
