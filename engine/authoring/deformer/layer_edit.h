// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include <pelt/bind_report.h>
#include <pelt/character.h>
#include <pelt/rig.h>

namespace pelt {

// An edit of a layer of a bound character.
struct LayerEdit {
  const Character& character;
  std::span<const MeshReport> meshes;  // of the bind
  std::span<const PointReport> points;
  const Rig& before;  // the character as bound by this rig, with the edits of the layers before `layer`
  const Rig& after;   // has the same layers; parameters differ
  std::uint32_t layer;

  // Return the layer's parameters.
  template <Parameters P>
  const P& old_parameters() const {
    return before.layers[layer].deformer.get<P>();
  }
  template <Parameters P>
  const P& new_parameters() const {
    return after.layers[layer].deformer.get<P>();
  }
};

}  // namespace pelt
