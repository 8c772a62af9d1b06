// SPDX-License-Identifier: MIT
// The rig and the character inside a glTF file (docs/PELT_deformers/README.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include <pelt/character.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

struct GltfRig {
  Rig rig;
  std::optional<Character> character;  // bound by `rig` from the file as it is now; none: bind it
  std::string note;                    // why the file's character cannot be used; empty: it has none, or it can be used
};

// Loads the rig and character of a .gltf or .glb file; none if the file has no rig. Errors: those of read_file,
// read_gltf_deformers, parse_rig, deserialize and check_gltf_rig.
Result<std::optional<GltfRig>> load_gltf_rig(const std::filesystem::path& path);

// The same from the bytes of such a file. `source` is its name in errors.
Result<std::optional<GltfRig>> read_gltf_rig(std::span<const std::byte> file, const std::string& source);

// Checks that a rig names no other file: a rig inside a glTF file cannot. Errors are kUnsupported and name `source`.
Result<void> check_gltf_rig(const Rig& rig, const std::string& source);

// Writes a .glb with the model, the character that was bound from it, and the character's rig. `file`: the .gltf or
// .glb from which the model was imported, whose whole content is kept (pack_gltf), with the weights that bind made
// (with_weights); empty: format_glb writes the model. A rig that always makes weights becomes one that keeps them.
// Errors: those of parse_rig and check_gltf_rig for the character's rig, and of pack_gltf, with_weights, format_glb,
// write_gltf_deformers and write_file. `files`: as for import_gltf.
Result<void> save_gltf(const Character& character, const Model& model, const std::filesystem::path& file,
                       const std::filesystem::path& path, NamedFiles files = NamedFiles::kFolder);

}  // namespace pelt
