// SPDX-License-Identifier: MIT
// The rig and the character that a glTF file carries (docs/PELT_deformers/README.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <pelt/character.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

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

// Writes a .glb: the model, the rig that `character` was bound from it by, and the character. `file`: the .gltf or .glb
// that the model was imported from, all that is in it stays (pack_gltf); empty: the model as format_glb writes it.
// Errors: parse_rig's and check_gltf_rig's of the character's rig, pack_gltf's, format_glb's, write_gltf_deformers',
// write_file's.
Result<void> save_gltf(const Character& character, const Model& model, const std::filesystem::path& file,
                       const std::filesystem::path& path);

}  // namespace pelt
