// SPDX-License-Identifier: MIT
// The .pelt file: a checksummed binary of a Character, in versioned chunks.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt {

constexpr std::uint32_t kPeltFileVersion = 8;

// serialize(*deserialize(bytes)) == bytes, of a .pelt file without chunks that are skipped; of a .glb it reads the
// character in it, which must be there and of this file's meshes (pelt_gltf.h). Everything read is validated: the
// checksum first, every count against the bytes that are left, then Character::create. Errors name `source`, and the
// byte and chunk where the structure breaks: kUnsupported for another version of the format or of a chunk, and for a
// required chunk that is not known, else kInvalidFile.
std::vector<std::byte> serialize(const Character& character);
Result<Character> deserialize(std::span<const std::byte> bytes, const std::string& source);

// The same to and from a file. Written to a temporary name and renamed: a reader never sees half of it. Errors also as
// write_file's and read_file's.
Result<void> save_pelt(const Character& character, const std::filesystem::path& path);
Result<Character> load_pelt(const std::filesystem::path& path);

}  // namespace pelt
