// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/bind.h"

namespace pelt::surface_ffd {

Result<std::vector<MeshBinding>> bind(const SurfaceFfdParameters&, const DeformerInput& input) {
  return fail(ErrorCode::kUnsupported, input.layer + ": not there yet");
}

}  // namespace pelt::surface_ffd
