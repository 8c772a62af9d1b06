// SPDX-License-Identifier: MIT
// Bendy bones of Blender as curves have them; docs/bendy_bones.md says what of them arrives.
//
// A bone is n spans of the B-spline: 3, less one at each end of the curve. Ease e makes Blender's Bezier handle
// e L / 3 long on a straight bone of length L, so that its curve starts with the slope |C'| = 3 e L / 3 = e L over the
// bone; the B-spline's at a joint that is not bent is n (|B+ - B-| / 2) = n f. So
//     f = e L / n,
// the mean where the bones on both sides give one: the spline has one slope at a joint. A handle that is displaced by c
// lifts Blender's curve by up to max 3 u (1 - u)^2 c = 4/9 c, a control point by up to 2/3 of its own displacement,
// which therefore is 2/3 c.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pelt/model.h>

#include "engine/chain/curve.h"

namespace pelt::chain {

class BendyBones {
 public:
  // What the model says of a joint is of the bone that leaves it, of several the one most along the joint's y. Values
  // of the model are in their ranges.
  BendyBones(const Model& model, std::span<const Chain> chains, std::span<const glm::dmat4> at_bind);

  // Lays the bones of a curve over it: float keys of anchors that have none, displacements, ends of spans. `of_rig`: a
  // bone, or nullptr, which leaves it to the model; `fixed`: floats, an anchor, that the rig sets.
  void lay(std::span<const BendyBone* const> of_rig, std::span<const std::optional<float>> fixed, Curve& curve);

  // What arrived and what did not, in a sentence; none where no bone is bendy.
  std::optional<std::string> note() const;

 private:
  // A bone: its upper joint, its lower one.
  using Bone = std::pair<std::uint32_t, std::uint32_t>;

  const BendyBone* of_model(const Bone& bone) const;
  void lay_ends(const BendyBone& values, std::size_t bone, Curve& curve);
  void lay_curve(const BendyBone& values, std::size_t bone, Curve& curve);
  void lay_floats(std::span<const BendyBone* const> bones, std::span<const std::optional<float>> fixed, Curve& curve);
  void meet(Curve& curve);

  std::span<const glm::dmat4> at_bind_;
  std::map<Bone, BendyBone> of_model_;
  std::size_t off_curves_ = 0;  // of the model: joints whose bone is on no curve
  std::set<Bone> laid_;
  std::set<Bone> laid_of_model_;
  std::set<Bone> not_bending_;  // one segment
  std::set<Bone> segmented_;
  std::set<Bone> loose_;             // eases and curve offsets at the end of a curve, which has no control point there
  std::set<std::uint32_t> cut_;      // joints with floats that the bones leave no room for
  std::set<std::uint32_t> meeting_;  // joints where two bones differ
};

}  // namespace pelt::chain
