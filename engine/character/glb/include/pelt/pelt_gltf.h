// SPDX-License-Identifier: MIT
// Reads and writes the glTF extension PELT_deformers (docs/PELT_deformers/README.md): a rig, and the character bound by
// it, in a glTF file that other programs show by linear blend.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt {

inline constexpr std::string_view kGltfDeformers = "PELT_deformers";

// The content of the extension in a glTF file.
struct GltfDeformers {
  std::string rig;  // JSON, not checked yet: use parse_rig
  std::span<const std::byte>
      character;  // a .pelt file, in the bytes that were read, for deserialize to check; or empty
  // True if the character was bound by this rig from the file's present content. If false, something was changed since,
  // and it must be bound again.
  bool current = false;
};

// Reads the extension from the bytes of a .glb or .gltf file; none if the file does not have it. Errors name `source`
// and the place as a JSON pointer or byte: kInvalidFile, and kUnsupported for another version of the extension.
Result<std::optional<GltfDeformers>> read_gltf_deformers(std::span<const std::byte> file, const std::string& source);

// Returns only the character, for programs that cannot bind. Further errors, kUnsupported: there is no character, or it
// is not current.
Result<std::span<const std::byte>> find_gltf_character(std::span<const std::byte> file, const std::string& source);

// Return the character in a .glb, or of a .pelt file (pelt_file.h). Errors: those of both.
Result<Character> read_character(std::span<const std::byte> bytes, const std::string& source);
Result<Character> load_character(const std::filesystem::path& path);

// Returns the .glb with this rig (JSON) and, unless it is nullptr, the character that was bound by it from the file;
// they replace those in the file. Errors: those of read_gltf_deformers; kInvalidArgument if the rig is no JSON object
// or the file has buffers outside of it (use pack_gltf); kUnsupported from 4 GiB on.
Result<std::vector<std::byte>> write_gltf_deformers(std::span<const std::byte> glb, std::string_view rig,
                                                    const Character* character, const std::string& source);

}  // namespace pelt
