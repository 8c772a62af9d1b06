// SPDX-License-Identifier: MIT
// Files to models. Input is hostile until validated; every error names the file and the place in it.
#pragma once

#include <filesystem>

#include "engine/core/result.h"
#include "engine/model/model.h"

namespace pelt {

// glTF 2.0, .gltf or .glb, external and embedded buffers. Every mesh node becomes one Mesh (its primitives merged into
// parts); a mesh without a skin is bound rigidly to its node. A skinned node's own transform is ignored (glTF 2.0,
// 3.7.3.3). Positions are brought to model space at bind: Mesh says what that is.
Result<Model> import_gltf(const std::filesystem::path& path);

// Wavefront OBJ: v and f lines, n-gons split (concave ones too). No skeleton; every object or group is kept in one
// Mesh.
Result<Model> import_obj(const std::filesystem::path& path);

// By extension (.gltf, .glb, .obj) or by name (builtin:biped, builtin:limb, builtin:tail).
Result<Model> import_model(const std::string& path_or_builtin);

}  // namespace pelt
