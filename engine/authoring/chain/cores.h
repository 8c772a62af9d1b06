// SPDX-License-Identifier: MIT
// Finds the parts of a body that move as one piece: heads, hands, feet, and places where limbs branch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/model.h>

namespace pelt::chain {

inline constexpr std::uint32_t kNoCore = 0xffffffff;

// Returns for every joint of the model its core, or kNoCore. Skin that follows one core alone should do so as it is
// painted, however a curve bends at its ends. Joints at one place are of one core. Cores are joints at which curves
// branch (hips, a chest, a palm), joints named as a head, hand, foot or toes, and stubs: ends of limbs that are shorter
// than twice the distance of their skin. An end that only continues its limb, as thick as before, is no stub: the last
// joints of fingers and tails bend as those before do. By their names, elbows, knees and fingers are never cores.
// `meshes` holds the indices of the skins in Model::meshes.
std::vector<std::uint32_t> core_joints(const Model& model, std::span<const std::uint32_t> meshes);

}  // namespace pelt::chain
