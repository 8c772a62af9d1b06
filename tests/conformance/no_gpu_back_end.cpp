// SPDX-License-Identifier: MIT
#include "tests/conformance/back_end.h"

namespace pelt::conformance {

Result<std::unique_ptr<BackEnd>> make_gpu_back_end(bool) {
  return fail(ErrorCode::kUnsupported, "this build has no runtime: configure it with PELT_RUNTIME=ON");
}

}  // namespace pelt::conformance
