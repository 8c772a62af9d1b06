// SPDX-License-Identifier: MIT
// Checks rules of glTF 2.0 between the parts of a document: the node tree, primitives, skins, animations.
#pragma once

#include <vector>

#include <pelt/result.h>

#include "engine/authoring/model/gltf/document.h"

namespace pelt {

struct NodeTree {
  std::vector<int> parents;  // parent of each node; -1: a root
  std::vector<int> order;    // all nodes, parents before children, depth first
};

// Errors: a node with two parents, a cycle.
Result<NodeTree> check_nodes(const GltfDocument& document);

// Check everything else that the importer relies on. Precondition: check_accessors. Errors name the location as a JSON
// pointer.
Result<void> check_meshes(const GltfDocument& document);
Result<void> check_skins(const GltfDocument& document);
Result<void> check_animations(const GltfDocument& document);

// Returns the number of pairs JOINTS_n, WEIGHTS_n of a primitive.
std::size_t weight_sets(const tinygltf::Primitive& primitive);

// Returns the primitive's accessor of that name; -1: none.
int attribute(const tinygltf::Primitive& primitive, const std::string& name);

}  // namespace pelt
