// SPDX-License-Identifier: MIT
// Finds the rigid regions of a body, which move as one piece: heads, hands, feet, and branches of limbs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/model.h>

namespace pelt::chain {

inline constexpr std::uint32_t kNoRigidRegion = 0xffffffff;

struct RigidRegions {
  std::vector<std::uint32_t> of_joint;  // the region of every joint of the model, or kNoRigidRegion
  std::vector<bool> is_head;  // of every joint: named as a head, carries a face, or an end thicker than its limb
  // The bound joints at or below each joint of the trunk: branches other than palms, the joints below a branch,
  // shoulders, hips, and haunches.
  std::vector<std::vector<bool>> beyond;

  // Returns how much of a vertex spans a joint of the trunk, 0 to 1. `weights` are over the bound joints. Curves of
  // several directions meet there, so such skin should move as it is painted, too.
  float spanning(std::span<const Influence> weights) const;
};

// Finds the rigid regions of a model. Skin that follows only one should move as it is painted, however curves bend at
// their ends. Joints at one position are in one region. Regions are joints at which curves branch (hips, a chest, a
// palm), joints named as a head, hand, foot or toes, joints that carry a face, and stubs: ends of limbs that are
// shorter than twice the distance of their skin. An end that only continues its limb, as thick as before, is not a
// stub: the last joints of fingers and tails bend like those before. Joints named as elbows, knees and fingers are
// never regions. A haunch is part of RigidRegions::beyond: joints below the trunk in a limb, as long as the bones to
// them have no skin, or are shorter than twice its distance, of what mostly follows them or the median of all along
// them. Elbows, knees, fingers, joints below a head, as those of ears, and joints without a side do not count.
// `meshes` holds the indices of the skins in Model::meshes.
RigidRegions rigid_regions(const Model& model, std::span<const std::uint32_t> meshes);

}  // namespace pelt::chain
