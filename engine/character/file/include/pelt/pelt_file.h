// SPDX-License-Identifier: MIT
// Reads and writes the .pelt file: a checksummed binary Character in versioned chunks.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt {

// The version of the header and of the encoding of members (docs/pelt_file.md, Changing it).
constexpr std::uint32_t kPeltFileVersion = 8;

// Write a character to bytes and read it back: serialize(*deserialize(bytes)) == bytes for a .pelt file without unknown
// optional chunks. Everything is validated: first the checksum, then every count against the remaining bytes, then
// Character::create. For a .glb that carries a character use read_character (pelt_gltf.h). Errors name `source`, and
// the byte and chunk of the defect: kUnsupported for another version of the format or of a chunk and for an unknown
// required chunk, else kInvalidFile. Keeps no pointer into `bytes`, which may be a mapped file (docs/pelt_file.md, What
// a reader checks).
std::vector<std::byte> serialize(const Character& character);
Result<Character> deserialize(std::span<const std::byte> bytes, const std::string& source);

// Whether a file is read into memory, or mapped, which saves the copy (docs/pelt_file.md has both times). If another
// program shortens a mapped file while it is loaded, a signal ends the game; Windows refuses to shorten it. So map only
// files that no program overwrites; save_pelt replaces them.
enum class FileAccess { kRead, kMapped };

// Do the same with a file. It is written under a temporary name and renamed, so readers never see part of it. Further
// errors: those of write_file and read_file.
Result<void> save_pelt(const Character& character, const std::filesystem::path& path);
Result<Character> load_pelt(const std::filesystem::path& path, FileAccess access = FileAccess::kRead);

}  // namespace pelt
