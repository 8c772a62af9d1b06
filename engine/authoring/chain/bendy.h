// SPDX-License-Identifier: MIT
// Lays Blender's bendy bones over curves; docs/bendy_bones.md lists the properties that count.
//
// Automatic frames take eases as they are: their curve is Blender's (shaders/curve_skeleton/step_frames.h). In the
// paper's frames, a bone has n = 3 spans of the B-spline, less one at each end of the curve. Ease e makes Blender's
// Bezier handle e L / 3 long on a straight bone of length L. So Blender's curve starts with the slope |C'| = 3 e L / 3
// = e L over the bone. The slope of the B-spline at a joint that is not bent is
// n (|B+ - B-| / 2) = n f. Both slopes agree if
//     f = e L / n.
// If the bones on both sides of a joint have an ease, the mean of both f counts, since the spline has one slope there.
// A handle that is displaced by c lifts Blender's curve by at most max 3 u (1 - u)^2 c = 4/9 c. A control point lifts
// the B-spline by at most 2/3 of its own displacement, which is therefore set to 2/3 c.
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

#include "engine/authoring/chain/curve.h"

namespace pelt::chain {

class BendyBones {
 public:
  // Assigns the model's bendy bones to bones of the chains. A joint's values belong to the bone that leaves it; if
  // several do, to the one most along the joint's y. The values must be in their ranges.
  BendyBones(const Model& model, std::span<const Chain> chains, std::span<const glm::dmat4> at_bind);

  // Writes the bendy bones of a curve into it: eases or float keys, displacements of control points, and ends of spans.
  // of_rig[b] is the rig's bendy bone of bone b; if nullptr, the model's counts. fixed[i] is the float of anchor i,
  // metres, if the rig sets it; such an anchor receives neither eases nor keys.
  void lay(std::span<const BendyBone* const> of_rig, std::span<const std::optional<float>> fixed, Curve& curve);

  // Returns a sentence on which bendy bones were used; nullopt if no bone is bendy.
  std::optional<std::string> note() const;

 private:
  // The upper and the lower joint of a bone.
  using Bone = std::pair<std::uint32_t, std::uint32_t>;

  const BendyBone* of_model(const Bone& bone) const;
  void lay_ends(const BendyBone& values, std::size_t bone, Curve& curve);
  void lay_curve(const BendyBone& values, std::size_t bone, Curve& curve);
  void lay_eases(std::span<const BendyBone* const> bones, const std::vector<bool>& stiff,
                 std::span<const std::optional<float>> fixed, Curve& curve);
  void lay_floats(std::span<const BendyBone* const> bones, std::span<const std::optional<float>> fixed, Curve& curve);
  void meet(Curve& curve);

  std::span<const glm::dmat4> at_bind_;
  std::map<Bone, BendyBone> of_model_;
  std::size_t off_curves_ = 0;  // number of the model's bendy bones that are on no curve
  std::set<Bone> laid_;
  std::set<Bone> laid_of_model_;
  std::set<Bone> not_bending_;  // bones with one segment, which do not bend
  std::set<Bone> segmented_;
  std::set<Bone> loose_;             // bones with ease or offset at the end of a curve, which has no control point
  std::set<std::uint32_t> cut_;      // joints whose floats are cut because the bones are too short
  std::set<std::uint32_t> held_;     // joints whose eases are limited so that the curve does not turn back
  std::set<std::uint32_t> meeting_;  // joints between bones with different rolls or widths
};

}  // namespace pelt::chain
