// SPDX-License-Identifier: MIT
// Measures over which length the painting of a skin passes from one side of a joint to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <pelt/model.h>

#include "engine/authoring/chain/curve.h"

namespace pelt::chain {

// Sets CurveAnchor::passage: 0 if nothing is painted across the joint, and at branches, where it is not one limb.
// `meshes` holds the indices of the skins in Model::meshes.
void measure_passages(const Model& model, std::span<const std::uint32_t> meshes, std::span<Curve> curves);

// Returns true if the painting leaves no straight piece on the bones at an anchor, as in a tail.
bool bends_meet(const Curve& curve, std::size_t anchor);

}  // namespace pelt::chain
