// SPDX-License-Identifier: MIT
#include "engine/mos/bind.h"

namespace pelt::mos {

Result<std::vector<MeshBinding>> bind(const MosParameters&, const DeformerInput& input) {
  return invalid(input, "multipoint offset sampling is not there yet");
}

}  // namespace pelt::mos
