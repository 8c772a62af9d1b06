// SPDX-License-Identifier: MIT
// Measures over which length the painting of a skin passes from one side of a joint to the other.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include <pelt/model.h>
#include <pelt/tools/joint_roles.h>

#include "engine/authoring/chain/curve.h"

namespace pelt::chain {

// Sets CurveAnchor::shown, and CurveAnchor::passage: 0 if nothing is painted across the joint, and at branches, since
// they have several limbs. `meshes` holds the indices of the skins in Model::meshes; `masks` has their masks, or
// nothing.
void measure_passages(const Model& model, std::span<const std::uint32_t> meshes,
                      std::span<const std::span<const float>> masks, std::span<Curve> curves);

// Returns a function of a curve and an inner anchor of it: twist_after(), or the fraction that linear blend spreads
// along the bone after the joint if another layer moves the skin there (CurveAnchor::shown).
std::function<float(const Curve&, std::size_t)> twists_after(const Model& model);

// Returns the lengths of the bones before and after an inner anchor, of which those between twist helpers count as one;
// 0 at the ends of a curve and at helpers. `uses`: joint_uses of the skeleton.
glm::vec2 bones_at(const Curve& curve, std::size_t anchor, std::span<const JointUse> uses);

// Returns true if the painting leaves no straight piece on the bones at an anchor, as in a tail.
bool bends_meet(const Curve& curve, std::size_t anchor, std::span<const JointUse> uses);

}  // namespace pelt::chain
