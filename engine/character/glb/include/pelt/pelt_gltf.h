// SPDX-License-Identifier: MIT
// Reads and writes the glTF extension PELT_deformers (docs/PELT_deformers/README.md): a rig, and the character bound
// with it, in a glTF file that other programs show with linear blend.
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
  std::string rig;  // JSON; not validated: use parse_rig
  std::span<const std::byte>
      character;  // a .pelt file, a view of the bytes that were read, not validated: use deserialize; or empty
  // True if the character was bound with this rig from the file's present content; false: the file was changed, so bind
  // again.
  bool current = false;
};

// Reads the extension from the bytes of a .glb or .gltf file; none if the file does not have it. Errors name `source`
// and the JSON pointer or byte: kInvalidFile, and kUnsupported for another version of the extension.
Result<std::optional<GltfDeformers>> read_gltf_deformers(std::span<const std::byte> file, const std::string& source);

// Returns only the character, for programs that cannot bind. Further errors: kUnsupported if there is no character, or
// it is not current.
Result<std::span<const std::byte>> find_gltf_character(std::span<const std::byte> file, const std::string& source);

// Return the character of a .glb or a .pelt file (pelt_file.h). Errors: those of both.
Result<Character> read_character(std::span<const std::byte> bytes, const std::string& source);
Result<Character> load_character(const std::filesystem::path& path);

// Returns the .glb with this rig (JSON) and, unless it is nullptr, the character that was bound with it from the file;
// they replace those in the file. Errors: those of read_gltf_deformers; kInvalidArgument if the rig is not a JSON
// object or the file has external buffers (use pack_gltf); kUnsupported from 4 GiB on.
Result<std::vector<std::byte>> write_gltf_deformers(std::span<const std::byte> glb, std::string_view rig,
                                                    const Character* character, const std::string& source);

}  // namespace pelt
