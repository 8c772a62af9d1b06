// SPDX-License-Identifier: MIT
// Makes .pelt files with wrong words or chunks but a correct checksum, as an attacker would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace pelt::test {

// Offsets in the header, its end, and the table of chunks after it (docs/pelt_file.md).
inline constexpr std::size_t kVersionAt = 4;
inline constexpr std::size_t kSizeAt = 8;
inline constexpr std::size_t kChecksumAt = 16;
inline constexpr std::size_t kHeaderSize = 24;
inline constexpr std::size_t kTableAt = 32;
inline constexpr std::size_t kLineSize = 24;
inline constexpr std::size_t kLineVersion = 4;
inline constexpr std::size_t kLineFlags = 6;
inline constexpr std::size_t kLineOffset = 8;
inline constexpr std::size_t kLineLength = 16;

using Bytes = std::vector<std::byte>;

// Writes a value over the bytes from `at` on.
template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Sets size and checksum to fit the other bytes.
Bytes sealed(Bytes bytes);

// Returns the file with `wanted` instead of `known`, which has the same length and occurs once; fails the test
// otherwise.
Bytes replaced(Bytes bytes, std::span<const std::byte> known, std::span<const std::byte> wanted);

struct FileChunk {
  std::string type;  // 4 characters
  std::uint16_t version = 1;
  std::uint16_t flags = 0;  // 1: required
  Bytes payload;
};

// Returns the chunks of a file whose table is correct.
std::vector<FileChunk> chunks_of(const Bytes& file);

// Makes a file of these chunks, with correct table, padding, size and checksum.
Bytes file_of(const std::vector<FileChunk>& chunks);

}  // namespace pelt::test
