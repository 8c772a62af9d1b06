// SPDX-License-Identifier: MIT
// Checks rules of glTF 2.0 between the parts of a document: the node tree, primitives, skins, animations.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <pelt/result.h>

#include "engine/authoring/model/gltf/accessor.h"
#include "engine/authoring/model/gltf/document.h"

namespace pelt {

struct NodeTree {
  std::vector<int> parents;  // parent of each node; -1: a root
  std::vector<int> order;    // all nodes, parents before children, depth first
};

// Errors: a node with two parents, a cycle.
Result<NodeTree> check_nodes(const GltfDocument& document);

// Checks the parts of shown meshes that the importer reads. Errors name the mesh and the location as a JSON pointer.
class MeshChecker {
 public:
  MeshChecker(const GltfDocument& document, AccessorChecker& accessors);

  // `name`: of the mesh in the model.
  Result<void> check(const tinygltf::Mesh& mesh, const tinygltf::Node& node, const std::string& name);

 private:
  Result<void> check_primitive(const tinygltf::Primitive& primitive, bool skinned, const std::string& place);
  Result<void> check_attributes(const tinygltf::Primitive& primitive, bool skinned, const std::string& place);
  Result<void> check_weight_sets(const tinygltf::Primitive& primitive, const std::string& place) const;
  Result<void> check_indices(int index, std::size_t vertices, const std::string& place);

  const GltfDocument& document_;
  AccessorChecker& accessors_;
  bool quantized_;
  std::set<std::pair<int, bool>> checked_;                   // meshes, with and without a skin
  std::vector<std::optional<std::uint32_t>> largest_index_;  // for each accessor; empty until needed
};

// Check everything else that the importer relies on. Errors name the skin or clip and the location. A skin that is
// invalid and that no node uses loses its joints.
Result<void> check_skins(GltfDocument& document, AccessorChecker& accessors);
Result<void> check_animations(const GltfDocument& document, AccessorChecker& accessors);

// Returns whether an attribute of a primitive is read: joints and weights only if the mesh is `skinned`; colours and
// attributes with an underscore only if their formats can be read.
bool is_read(const GltfDocument& document, const tinygltf::Primitive& primitive, const std::string& name, bool skinned);

// Returns the number of morph targets of a mesh: the largest of its primitives'.
std::size_t target_count(const tinygltf::Mesh& mesh);

// Returns the number of pairs JOINTS_n, WEIGHTS_n of a primitive.
std::size_t weight_sets(const tinygltf::Primitive& primitive);

// Returns the primitive's accessor of that name; -1: none.
int attribute(const tinygltf::Primitive& primitive, const std::string& name);

}  // namespace pelt
