// SPDX-License-Identifier: MIT
#include "tests/support/sealed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "engine/character/base/hash.h"

namespace pelt::test {

Bytes sealed(Bytes bytes) {
  put(bytes, kSizeAt, std::uint64_t{bytes.size()});
  put(bytes, kChecksumAt, std::uint64_t{XXH3_64bits(bytes.data() + kHeaderSize, bytes.size() - kHeaderSize)});
  return bytes;
}

Bytes replaced(Bytes bytes, std::span<const std::byte> known, std::span<const std::byte> wanted) {
  const auto at = std::search(bytes.begin(), bytes.end(), known.begin(), known.end());
  const bool once = at != bytes.end() && std::search(at + 1, bytes.end(), known.begin(), known.end()) == bytes.end();
  EXPECT_TRUE(once && known.size() == wanted.size()) << "the bytes to be replaced do not stand in the file once";
  if (once && known.size() == wanted.size()) std::copy(wanted.begin(), wanted.end(), at);
  return sealed(std::move(bytes));
}

std::vector<FileChunk> chunks_of(const Bytes& file) {
  const auto get = [&](std::size_t at, auto value) {
    std::memcpy(&value, file.data() + at, sizeof value);
    return value;
  };
  std::vector<FileChunk> chunks(get(kHeaderSize, std::uint64_t{}));
  std::size_t line = kTableAt;
  for (FileChunk& chunk : chunks) {
    const auto payload =
        std::span(file).subspan(get(line + kLineOffset, std::uint64_t{}), get(line + kLineLength, std::uint64_t{}));
    chunk = {std::string(reinterpret_cast<const char*>(file.data() + line), 4),
             get(line + kLineVersion, std::uint16_t{}), get(line + kLineFlags, std::uint16_t{}),
             Bytes(payload.begin(), payload.end())};
    line += kLineSize;
  }
  return chunks;
}

Bytes file_of(const std::vector<FileChunk>& chunks) {
  Bytes file(kTableAt + chunks.size() * kLineSize);
  std::memcpy(file.data(), "PELT", 4);
  put(file, kVersionAt, std::uint32_t{8});
  put(file, kHeaderSize, std::uint64_t{chunks.size()});
  std::size_t line = kTableAt;
  for (const FileChunk& chunk : chunks) {
    file.resize((file.size() + 63) / 64 * 64);
    std::memcpy(file.data() + line, chunk.type.data(), 4);
    put(file, line + kLineVersion, chunk.version);
    put(file, line + kLineFlags, chunk.flags);
    put(file, line + kLineOffset, std::uint64_t{file.size()});
    put(file, line + kLineLength, std::uint64_t{chunk.payload.size()});
    file.insert(file.end(), chunk.payload.begin(), chunk.payload.end());
    line += kLineSize;
  }
  return sealed(std::move(file));
}

}  // namespace pelt::test
