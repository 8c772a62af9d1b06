// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <pelt/mesh.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/deformer/cage_mesh.h"

namespace pelt {

// Returns the path of a file in a layer's parameters. Error: Rig::files does not allow it.
Result<std::filesystem::path> named_file(const std::string& file, const DeformerInput& input);

struct NamedCage {
  CageMesh cage;
  const Mesh* mesh;  // of the model; nullptr if it is a file
};

// Returns the cage of a rig: an OBJ file, relative to the rig, or, if `file` is empty, a mesh of the model. Errors:
// those of named_file and load_cage, and a mesh that does not exist.
Result<NamedCage> find_cage(const std::string& mesh, const std::string& file, const DeformerInput& input);

}  // namespace pelt
