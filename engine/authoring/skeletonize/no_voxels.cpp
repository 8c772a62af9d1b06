// SPDX-License-Identifier: MIT
// Replaces voxels.cpp if PELT_SKELETONIZE is off.
#include "engine/authoring/skeletonize/voxels.h"

namespace pelt::skeletonize {

Result<Voxels> voxelize(std::span<const glm::vec3> /*positions*/, std::span<const glm::uvec3> /*closed*/,
                        std::span<const glm::uvec3> /*capped*/, std::span<const glm::uvec3> /*sheets*/,
                        std::uint32_t /*resolution*/, bool /*with_tubes*/) {
  return fail(ErrorCode::kUnsupported, "this build of Pelt cannot make skeletons: it has no OpenVDB");
}

}  // namespace pelt::skeletonize
