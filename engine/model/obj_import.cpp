// SPDX-License-Identifier: MIT
#include "engine/model/import.h"

namespace pelt {
Result<Model> import_obj(const std::filesystem::path&) { return fail(ErrorCode::kUnsupported, "later"); }
}  // namespace pelt
