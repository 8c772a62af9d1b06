// SPDX-License-Identifier: MIT
// In place of voxels.cpp where PELT_SKELETONIZE is off.
#include "engine/authoring/skeletonize/voxels.h"

namespace pelt::skeletonize {

Result<Voxels> voxelize(std::span<const glm::vec3> /*positions*/, std::span<const glm::uvec3> /*closed*/,
                        std::span<const glm::uvec3> /*open*/, std::uint32_t /*resolution*/) {
  return fail(ErrorCode::kUnsupported, "this build of Pelt makes no skeletons: it is without OpenVDB");
}

}  // namespace pelt::skeletonize
