// SPDX-License-Identifier: MIT
// Replaces import.cpp and obj/, and file_io.cpp of pelt::character, on systems without files: models come as bytes.
#include <pelt/import.h>
#include <pelt/tools/file_io.h>

#include "engine/authoring/model/obj/polygons.h"

namespace pelt {
namespace {

tl::unexpected<Error> no_files(const std::filesystem::path& path) {
  return fail(ErrorCode::kUnsupported, path.string() + ": files are not read here");
}

}  // namespace

Result<std::uintmax_t> size_of_file(const std::filesystem::path& path, std::uint64_t /*limit*/) {
  return no_files(path);
}
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, std::uint64_t /*limit*/) {
  return no_files(path);
}
Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> /*bytes*/) {
  return no_files(path);
}
Result<Model> import_model(const std::string& path_or_builtin, std::vector<std::filesystem::path>* /*beside*/,
                           NamedFiles /*files*/) {
  return no_files(path_or_builtin);
}
Result<ObjPolygons> read_obj_polygons(const std::filesystem::path& path) { return no_files(path); }

}  // namespace pelt
