// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/find_cage.h"

#include <fmt/format.h>

#include <pelt/try.h>

#include "engine/authoring/model/beside.h"
#include "engine/authoring/model/find_named.h"

namespace pelt {

Result<std::filesystem::path> named_file(const std::string& file, const DeformerInput& input) {
  const std::filesystem::path folder(input.rig.directory);
  if (input.rig.files == NamedFiles::kAnywhere) return folder / file;
  if (input.rig.files == NamedFiles::kNone) {
    return invalid(input, fmt::format("names the file '{}', but the rig of a character cannot name files unless that "
                                      "is allowed (--any-file, Rig::files)",
                                      file));
  }
  if (const char* wrong = why_not_beside(folder, file, input.rig.files)) {
    return invalid(input,
                   fmt::format("the name of the file '{}' {}; only files in the rig's folder are allowed, without "
                               "--any-file or Rig::files",
                               file, wrong));
  }
  return folder / file;
}

Result<NamedCage> find_cage(const std::string& mesh, const std::string& file, const DeformerInput& input) {
  if (!file.empty()) {
    PELT_ASSIGN(const auto path, named_file(file, input));
    PELT_ASSIGN(auto cage, within(input.layer, load_cage(path)));
    return NamedCage{std::move(cage), nullptr};
  }
  PELT_ASSIGN(const Mesh* const found, find_mesh(input.model, mesh, input.layer + ": cage"));
  return NamedCage{cage_of(*found), found};
}

}  // namespace pelt
