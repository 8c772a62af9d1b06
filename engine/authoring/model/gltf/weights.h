// SPDX-License-Identifier: MIT
// Reads JOINTS_n and WEIGHTS_n of a glTF document.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pelt/mesh.h>
#include <pelt/result.h>

#include "engine/authoring/model/gltf/document.h"
#include "engine/authoring/model/gltf/skin.h"

namespace pelt {

// Corrections of invalid weights by the importer.
struct WeightFlaws {
  std::uint32_t negative = 0;      // weights below 0, taken as 0
  std::uint32_t renormalised = 0;  // vertices whose weights did not sum to 1
  std::uint32_t unweighted = 0;    // vertices without weights
};

class GltfWeightReader {
 public:
  explicit GltfWeightReader(const GltfDocument& document) : document_(document) {}

  // Appends the rows of a primitive's vertices, the last `count` of the mesh. They name joints of `skin`, whose
  // `extent` is updated. Rows of vertices without weights are empty.
  Result<void> append(const tinygltf::Primitive& primitive, std::size_t count, GltfSkin& skin, Mesh& mesh,
                      WeightFlaws& flaws);

  // Fills the empty rows of a mesh, smoothly from the skin around them; if all are, by the nearest joints. Adds the
  // rows to the skin's `weights`.
  Result<void> complete(std::size_t unweighted, GltfSkin& skin, Mesh& mesh);

 private:
  const GltfDocument& document_;
  std::uint64_t searched_ = 0;  // joints searched, for all vertices without weights
};

}  // namespace pelt
