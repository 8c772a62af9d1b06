// SPDX-License-Identifier: MIT
// How thick a limb is about its joints.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <pelt/model.h>

#include "engine/chain/chains.h"

namespace pelt::mos {

class SkinThickness {
 public:
  // Of the skin `meshes`; `chains`: all bones that skin without weights may be near to. The first two are kept by
  // reference.
  SkinThickness(const Model& model, std::span<const std::uint32_t> meshes, std::span<const chain::Chain> chains);

  // The distance from the two bones at inner anchor i that nine tenths of the skin there, by area, are within, metres:
  // what is nearer to the joint than the middles of the bones and follows the joint or its neighbours by its weights;
  // where it has none, what is nearest to these bones of all. None where there is no such skin off the bones.
  std::optional<float> at(const chain::Chain& chain, std::size_t i) const;

 private:
  const Model& model_;
  std::span<const std::uint32_t> meshes_;
  std::vector<std::vector<double>> areas_;   // of the vertices of each mesh
  std::vector<std::vector<float>> nearest_;  // metres from each vertex of a mesh without weights to the nearest bone
};

}  // namespace pelt::mos
