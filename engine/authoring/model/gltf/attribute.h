// SPDX-License-Identifier: MIT
// Vertex attributes of a glTF document without a defined meaning here: masks and the like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include <pelt/mesh.h>

#include "engine/authoring/model/gltf/budget.h"
#include "engine/authoring/model/gltf/document.h"

namespace pelt {

// Reads COLOR_0 and attributes that begin with an underscore; each component becomes an attribute of the mesh: "_MASK",
// "_AXIS.x", "COLOR_0.r". Use one reader for each mesh.
class GltfAttributeReader {
 public:
  GltfAttributeReader(const GltfDocument& document, GltfBudget& budget, Mesh& mesh)
      : document_(document), budget_(budget), mesh_(mesh) {}

  // Reads the attributes of a primitive's vertices, which are the last `count` of the mesh.
  Result<void> append(const tinygltf::Primitive& primitive, std::size_t count);

  // Gives every vertex a value: 0 if its primitive has none.
  void complete();

  // Returns how many attributes were left out because they are matrices.
  std::uint32_t matrices() const { return matrices_; }

 private:
  Result<std::size_t> find_or_add(const std::string& name);

  const GltfDocument& document_;
  GltfBudget& budget_;
  Mesh& mesh_;
  std::unordered_map<std::string, std::size_t> index_of_;  // index in Mesh::attributes
  std::uint32_t matrices_ = 0;
};

}  // namespace pelt
