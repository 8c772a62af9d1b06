// SPDX-License-Identifier: MIT
// Replaces import.cpp where there are no files.
#include <pelt/import.h>

namespace pelt {

Result<Model> import_obj(const std::filesystem::path& path, std::vector<std::filesystem::path>* /*beside*/,
                         NamedFiles /*files*/) {
  return fail(ErrorCode::kUnsupported, path.string() + ": OBJ is not read here");
}

}  // namespace pelt
