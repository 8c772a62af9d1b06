// SPDX-License-Identifier: MIT
// Measures the thickness of a limb about its joints.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <pelt/model.h>

#include "engine/authoring/chain/chains.h"

namespace pelt::mos {

struct SkinAtJoint {
  float thickness;  // metres: 85% of the skin that bends near the joint is within this of its bones
  float bending;    // 0 to 1: fraction of the skin's area at the joint that bends; the rest follows a single joint
};

class SkinThickness {
 public:
  // Prepares the thickness of the skin `meshes`. `chains` has all bones that skin without weights may be near. Keeps
  // the model and `meshes` by reference.
  SkinThickness(const Model& model, std::span<const std::uint32_t> meshes, std::span<const chain::Chain> chains);

  // Returns nullopt if there is no skin off the bones that bends at inner anchor i. Skin counts if it is nearer to the
  // joint than to the other ends of the bones and its weights are on the joint or its neighbours. Skin without weights
  // counts if no other bone is nearer.
  std::optional<SkinAtJoint> at(const chain::Chain& chain, std::size_t i) const;

 private:
  const Model& model_;
  std::span<const std::uint32_t> meshes_;
  std::vector<std::vector<double>> areas_;   // areas of the vertices of each mesh
  std::vector<std::vector<bool>> rigid_;     // true for vertices of parts that follow a single joint
  std::vector<std::vector<float>> nearest_;  // metres from each vertex of a mesh without weights to the nearest bone
};

}  // namespace pelt::mos
