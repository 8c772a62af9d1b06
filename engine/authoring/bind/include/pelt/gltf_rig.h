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
  std::optional<Character> character;  // bound by `rig` from the file's present content; none: bind it
  std::string note;                    // why a character in the file cannot be used; empty: none is, or it can
};

// Loads the rig and character of a .gltf or .glb file; none if the file has no rig. Errors: those of read_file,
// read_gltf_deformers, parse_rig, deserialize and check_gltf_rig.
Result<std::optional<GltfRig>> load_gltf_rig(const std::filesystem::path& path);

// Checks that a rig names no other file, as a rig inside a glTF file must not. Errors are kUnsupported and name
// `source`.
Result<void> check_gltf_rig(const Rig& rig, const std::string& source);

// Writes a .glb with the model, the character that was bound from it, and the character's rig. `file`: the .gltf or
// .glb that the model was imported from, whose whole content is kept (pack_gltf); empty: the model is written by
// format_glb. Errors: those of parse_rig and check_gltf_rig for the character's rig, of pack_gltf, format_glb,
// write_gltf_deformers and write_file. `files`: import_gltf's.
Result<void> save_gltf(const Character& character, const Model& model, const std::filesystem::path& file,
                       const std::filesystem::path& path, NamedFiles files = NamedFiles::kFolder);

}  // namespace pelt
