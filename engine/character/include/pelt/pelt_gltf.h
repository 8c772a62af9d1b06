// SPDX-License-Identifier: MIT
// The glTF extension PELT_deformers (docs/PELT_deformers/README.md): a rig, and the character bound by it, in a glTF
// file that other readers show by linear blend.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt {

inline constexpr std::string_view kGltfDeformers = "PELT_deformers";

// What a glTF file carries in the extension.
struct GltfDeformers {
  std::string rig;  // JSON, for parse_rig to check
  std::span<const std::byte>
      character;  // a .pelt file, in the bytes that were read, for deserialize to check; or empty
  // Whether the character was bound by this rig from what the file holds now. Otherwise something was changed since: it
  // is to be bound again.
  bool current = false;
};

// Reads the extension from the bytes of a .glb or .gltf file; none: it has none. Errors name `source` and the place as
// a JSON pointer, or the byte: kInvalidFile, and kUnsupported for another version of the extension.
Result<std::optional<GltfDeformers>> read_gltf_deformers(std::span<const std::byte> file, const std::string& source);

// The character alone, for those who cannot bind. Errors also, kUnsupported, where there is none or it is not current.
Result<std::span<const std::byte>> find_gltf_character(std::span<const std::byte> file, const std::string& source);

// The same .glb with this rig (JSON) and, unless it is nullptr, the character that was bound by it from the file;
// instead of those that it carries. Errors: as read_gltf_deformers; kInvalidArgument where the rig is no JSON object or
// the file has buffers outside of it (pack_gltf); kUnsupported from 4 GiB on.
Result<std::vector<std::byte>> write_gltf_deformers(std::span<const std::byte> glb, std::string_view rig,
                                                    const Character* character, const std::string& source);

}  // namespace pelt
