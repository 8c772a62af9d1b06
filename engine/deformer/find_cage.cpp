// SPDX-License-Identifier: MIT
#include "engine/deformer/find_cage.h"

#include <filesystem>

#include <pelt/try.h>

#include "engine/model/find_named.h"

namespace pelt {

Result<NamedCage> find_cage(const std::string& mesh, const std::string& file, const DeformerInput& input) {
  if (!file.empty()) {
    PELT_ASSIGN(auto cage, within(input.layer, load_cage(std::filesystem::path(input.rig.directory) / file)));
    return NamedCage{std::move(cage), nullptr};
  }
  PELT_ASSIGN(const Mesh* const found, find_mesh(input.model, mesh, input.layer + ": cage"));
  return NamedCage{cage_of(*found), found};
}

}  // namespace pelt
