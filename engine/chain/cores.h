// SPDX-License-Identifier: MIT
// What of a body moves as one piece: heads, hands, feet, and what limbs branch from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/model.h>

namespace pelt::chain {

inline constexpr std::uint32_t kNoCore = 0xffffffff;

// For every joint of the model the core that it is of, or kNoCore: skin that follows a core alone should do so as it is
// painted, however a curve bends at its ends. Joints at one place are of one core. Cores are joints at which curves
// branch (hips, a chest, a palm), joints named as a head, hand, foot or toes, and ends of limbs that are shorter than
// twice the distance of their skin, but where the limb only goes on, as thick as before it: the last joints of fingers
// and tails bend as those before do. No elbow, knee or finger, as far as names tell. `meshes`: indices in
// Model::meshes, of the skins.
std::vector<std::uint32_t> core_joints(const Model& model, std::span<const std::uint32_t> meshes);

}  // namespace pelt::chain
