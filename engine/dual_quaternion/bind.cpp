// SPDX-License-Identifier: MIT
#include "engine/dual_quaternion/bind.h"

#include <pelt/dual_quaternion.h>

#include "engine/linear_blend/bind.h"

namespace pelt::dual_quaternion {

Result<std::vector<MeshBinding>> bind(const DualQuaternionParameters& parameters, const DeformerInput& input) {
  return linear_blend::bind_painted(BlendMode::kDualQuaternion, parameters.exact_normals, input);
}

}  // namespace pelt::dual_quaternion
