// SPDX-License-Identifier: MIT
// The rig that a glTF file carries (docs/PELT_deformers/README.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/character/character.h"
#include "engine/core/result.h"
#include "engine/rig/rig.h"

namespace pelt {

struct GltfRig {
  Rig rig;
  std::optional<Character> character;  // bound by it from the file as it is; none: bind it
  std::string note;                    // why the file's character is not that; empty: it has none, or it is
};

// None: the file, a .gltf or .glb, has no rig. Errors: read_file's, read_gltf_deformers', parse_rig's, deserialize's,
// check_gltf_rig's.
Result<std::optional<GltfRig>> load_gltf_rig(const std::filesystem::path& path);

// What a rig inside of a glTF file must be: it names no other file. Errors, kUnsupported, name `source`.
Result<void> check_gltf_rig(const Rig& rig, const std::string& source);

}  // namespace pelt
