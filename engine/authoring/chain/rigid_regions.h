// SPDX-License-Identifier: MIT
// Finds the rigid regions of a body, which move as one piece: heads, hands, feet, and branches of limbs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/model.h>

namespace pelt::chain {

inline constexpr std::uint32_t kNoRigidRegion = 0xffffffff;

// The joints at which limbs leave the trunk: those below a branch, shoulders and hips. Skin that is painted to both sides
// of one follows its joints, since curves of different directions meet there.
struct Junctions {
  std::vector<std::vector<bool>> beyond;  // of each junction: the bound joints at or below it

  // Returns how much of a vertex spans a junction, 0 to 1, from its weights over the bound joints.
  float share(std::span<const Influence> weights) const;
};
Junctions find_junctions(const Model& model, std::span<const std::uint32_t> meshes);

// Returns the rigid region of every joint of the model, or kNoRigidRegion. Skin that follows only one region should
// move as it is painted, however curves bend at their ends. Joints at one position are in one region. Regions are
// joints at which curves branch (hips, a chest, a palm), joints named as a head, hand, foot or toes, and stubs: ends of
// limbs that are shorter than twice the distance of their skin. An end that only continues its limb, as thick as
// before, is not a stub: the last joints of fingers and tails bend like those before. Joints named as elbows, knees and
// fingers are never regions. `meshes` holds the indices of the skins in Model::meshes.
std::vector<std::uint32_t> rigid_regions(const Model& model, std::span<const std::uint32_t> meshes);

}  // namespace pelt::chain
