// SPDX-License-Identifier: MIT
// Reads and writes the .pelt file: a checksummed binary of a Character, in versioned chunks.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt {

// The version of the header and of how members are coded (docs/pelt_file.md, Changing it).
constexpr std::uint32_t kPeltFileVersion = 8;

// Write a character to bytes and read it back: serialize(*deserialize(bytes)) == bytes for a .pelt file without unknown
// optional chunks. Everything is validated: first the checksum, then every count against the remaining bytes, then
// Character::create. A .glb that carries a character is for read_character (pelt_gltf.h). Errors name `source`, and the
// byte and chunk at which the structure breaks: kUnsupported for another version of the format or of a chunk and for an
// unknown required chunk, else kInvalidFile. No pointer into `bytes` is kept, which may be a mapped file
// (docs/pelt_file.md, What a reader checks).
std::vector<std::byte> serialize(const Character& character);
Result<Character> deserialize(std::span<const std::byte> bytes, const std::string& source);

// Whether a file is read into memory or mapped, which saves the copy (docs/pelt_file.md has both times). A mapped file
// that another program shortens while it is loaded ends the game by a signal, but on Windows, which refuses the other
// program: map files that nobody writes in place. save_pelt never does.
enum class FileAccess { kRead, kMapped };

// Do the same with a file. It is written under a temporary name and renamed, so that a reader never sees half of it.
// Further errors: those of write_file and read_file.
Result<void> save_pelt(const Character& character, const std::filesystem::path& path);
Result<Character> load_pelt(const std::filesystem::path& path, FileAccess access = FileAccess::kRead);

}  // namespace pelt
