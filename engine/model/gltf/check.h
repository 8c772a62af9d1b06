// SPDX-License-Identifier: MIT
// What glTF 2.0 demands across the parts of a document: the node tree, primitives, skins, animations.
#pragma once

#include <vector>

#include <pelt/result.h>

#include "engine/model/gltf/document.h"

namespace pelt {

struct NodeTree {
  std::vector<int> parents;  // of each node, -1: a root
  std::vector<int> order;    // all nodes, parents before children, depth first
};

// Errors: a node with two parents, a cycle.
Result<NodeTree> check_nodes(const GltfDocument& document);

// The rest of what the importer relies on; needs check_accessors. Errors name the place as a JSON pointer.
Result<void> check_meshes(const GltfDocument& document);
Result<void> check_skins(const GltfDocument& document);
Result<void> check_animations(const GltfDocument& document);

// How many pairs JOINTS_n, WEIGHTS_n a primitive has.
std::size_t weight_sets(const tinygltf::Primitive& primitive);

// The primitive's accessor of that name, -1: none.
int attribute(const tinygltf::Primitive& primitive, const std::string& name);

}  // namespace pelt
