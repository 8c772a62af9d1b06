// SPDX-License-Identifier: MIT
// .pelt files with wrong words behind a good checksum, as an attacker makes them.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace pelt::test {

// Where the header keeps things, and where it ends (docs/pelt_file.md).
inline constexpr std::size_t kVersionAt = 4;
inline constexpr std::size_t kSizeAt = 8;
inline constexpr std::size_t kChecksumAt = 16;
inline constexpr std::size_t kHeaderSize = 24;

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

}  // namespace pelt::test
