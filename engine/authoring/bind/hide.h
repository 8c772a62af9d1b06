// SPDX-License-Identifier: MIT
// Levels of detail without the skin that garments hide (Rig::hide).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <pelt/bind.h>
#include <pelt/check_pose.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

// A skin without what a set of garments hides.
struct WornLevel {
  MeshLevel level;                      // level n: of set n - 1
  std::vector<std::uint32_t> vertices;  // of the whole mesh, ascending
};

// Returns the levels of a character that was bound from the model by the rig, by mesh, then by level, and notes what
// they save. Meshes without hidden triangles have none. `poses`: of bind's own, besides the clips. Errors name the set:
// kNotFound if a garment is no mesh, material or file; those of import and bind for files.
Result<std::vector<WornLevel>> find_worn_levels(const Model& model, const Rig& rig, const Character& bound,
                                                std::span<const CheckPose> poses, const BindOptions& options,
                                                const std::function<void(double)>& progress,
                                                std::vector<std::string>& notes);

}  // namespace pelt
