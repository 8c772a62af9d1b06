// SPDX-License-Identifier: MIT
// .pelt files with wrong words or chunks behind a good checksum, as an attacker makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace pelt::test {

// Where the header keeps things, where it ends, and the table of chunks behind it (docs/pelt_file.md).
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

// Makes size and checksum fit the rest.
Bytes sealed(Bytes bytes);

// The file with `wanted` in the place of `known`, which is as long and stands in it once; fails the test otherwise.
Bytes replaced(Bytes bytes, std::span<const std::byte> known, std::span<const std::byte> wanted);

struct FileChunk {
  std::string type;  // 4 characters
  std::uint16_t version = 1;
  std::uint16_t flags = 0;  // 1: required
  Bytes payload;
};

// Of a file whose table is right.
std::vector<FileChunk> chunks_of(const Bytes& file);

// A file of these chunks, its table, paddings, size and checksum as they should be.
Bytes file_of(const std::vector<FileChunk>& chunks);

}  // namespace pelt::test
