// SPDX-License-Identifier: MIT
// Vertex attributes of a glTF document that have no meaning of their own here: masks and the like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include <pelt/mesh.h>

#include "engine/model/gltf/budget.h"
#include "engine/model/gltf/document.h"

namespace pelt {

// Reads COLOR_0 and what begins with an underscore, each component an attribute of the mesh: "_MASK", "_AXIS.x",
// "COLOR_0.r". One reader a mesh.
class GltfAttributeReader {
 public:
  GltfAttributeReader(const GltfDocument& document, GltfBudget& budget, Mesh& mesh)
      : document_(document), budget_(budget), mesh_(mesh) {}

  // Reads those of a primitive's vertices, which are the last `count` of the mesh.
  Result<void> append(const tinygltf::Primitive& primitive, std::size_t count);

  // Gives every vertex a value, 0 where its primitive has none.
  void complete();

  // How many attributes were left out, since they are matrices.
  std::uint32_t matrices() const { return matrices_; }

 private:
  Result<std::size_t> find_or_add(const std::string& name);

  const GltfDocument& document_;
  GltfBudget& budget_;
  Mesh& mesh_;
  std::unordered_map<std::string, std::size_t> index_of_;  // in Mesh::attributes
  std::uint32_t matrices_ = 0;
};

}  // namespace pelt
