// SPDX-License-Identifier: MIT
// Tests the table of chunks: docs/pelt_file.md.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string_view>

#include <pelt/bind.h>

#include "tests/engine/character/file/pelt_bytes.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using testing::HasSubstr;

using test::Bytes;
using test::chunks_of;
using test::file_of;
using test::FileChunk;
using test::kLineFlags;
using test::kLineLength;
using test::kLineOffset;
using test::kLineSize;
using test::kTableAt;
using test::put;
using test::sealed;

// Returns the chunks of a character with a rig and clips, so that every type of chunk is there.
std::vector<FileChunk> make_chunks() { return chunks_of(serialize(make_character())); }

std::size_t find_chunk(const std::vector<FileChunk>& chunks, std::string_view type) {
  const auto found = std::find_if(chunks.begin(), chunks.end(), [&](const auto& chunk) { return chunk.type == type; });
  EXPECT_NE(found, chunks.end()) << type;
  return static_cast<std::size_t>(found - chunks.begin());
}

std::size_t line_at(std::size_t chunk) { return kTableAt + chunk * kLineSize; }

// Returns the beginning of an error at the line of a chunk: "x.pelt: byte 56: chunk 'SKEL' of version 1 ".
std::string error_at(std::size_t chunk, const char* type, int version = 1) {
  return fmt::format("x.pelt: byte {}: chunk '{}' of version {} ", line_at(chunk), type, version);
}

TEST(PeltFile, ChunksAndTheirArraysStandAtMultiplesOf64) {
  const Character character = make_character();
  const Bytes bytes = serialize(character);
  const std::vector<FileChunk> chunks = chunks_of(bytes);
  EXPECT_TRUE(file_of(chunks) == bytes);
  std::vector<std::string> types;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (types.empty() || types.back() != chunks[c].type) types.push_back(chunks[c].type);
    std::uint64_t offset = 0;
    std::memcpy(&offset, bytes.data() + line_at(c) + kLineOffset, sizeof offset);
    EXPECT_EQ(offset % 64, 0u);
    const bool required = std::string_view("CLIP RIG  BONE ANCH").find(chunks[c].type) == std::string_view::npos;
    EXPECT_EQ(chunks[c].flags, required ? 1 : 0);
  }
  EXPECT_THAT(types, testing::ElementsAre("CHAR", "SKEL", "MATL", "PASS", "MESH", "CLIP", "RIG ", "BONE", "ANCH"));

  const auto expect_aligned = [&](const auto& array) {
    const auto wanted = std::as_bytes(std::span(array));
    for (auto from = bytes.begin(); !wanted.empty();) {
      from = std::search(from, bytes.end(), wanted.begin(), wanted.end());
      ASSERT_NE(from, bytes.end()) << wanted.size();
      if ((from - bytes.begin()) % 64 == 0) return;
      ++from;
    }
  };
  for (const PalettePass& pass : character->passes) expect_aligned(pass.records);
  for (const CharacterMesh& mesh : character->meshes) {
    expect_aligned(mesh.binding.points);
    expect_aligned(mesh.binding.directions);
    expect_aligned(mesh.binding.influences);
    expect_aligned(mesh.triangles);
    expect_aligned(mesh.uvs);
  }
}

TEST(PeltFile, OptionalChunksAreSkipped) {
  const std::vector<FileChunk> chunks = make_chunks();
  const Bytes bytes = file_of(chunks);
  for (std::size_t place = 0; place <= chunks.size(); ++place) {
    for (const std::size_t size : {0, 1, 64, 100}) {
      std::vector<FileChunk> more = chunks;
      more.insert(more.begin() + static_cast<std::ptrdiff_t>(place), {"XTRA", 9, 0, Bytes(size, std::byte{7})});
      const auto read = test::must(deserialize(file_of(more), "x.pelt"));
      EXPECT_TRUE(serialize(read) == bytes) << "it is not kept";
    }
  }
  std::vector<FileChunk> fewer = chunks;
  std::erase_if(fewer, [](const FileChunk& chunk) { return chunk.flags == 0; });
  const auto read = test::must(deserialize(file_of(fewer), "x.pelt"));
  EXPECT_TRUE(read->rig.empty());
  EXPECT_TRUE(read->clips.empty());
  EXPECT_TRUE(serialize(read) == file_of(fewer));
}

TEST(PeltFile, RequiredChunksAndVersionsThatAreNotKnownAreNamed) {
  const std::vector<FileChunk> chunks = make_chunks();
  const auto outcome = [](const std::vector<FileChunk>& changed) {
    const auto character = deserialize(file_of(changed), "x.pelt");
    EXPECT_FALSE(character);
    EXPECT_EQ(character.error().code, ErrorCode::kUnsupported);
    return character.error().message;
  };
  std::vector<FileChunk> more = chunks;
  more.insert(more.begin() + 2, {"XT\n\x80", 3, 1, {}});
  EXPECT_EQ(outcome(more), error_at(2, "XT??", 3) + "is required but unknown: a newer program is needed");
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    std::vector<FileChunk> other = chunks;
    ++other[c].version;
    const std::string known = fmt::format("reads version {}: ", chunks[c].version);
    EXPECT_EQ(outcome(other), error_at(c, chunks[c].type.c_str(), other[c].version) + "is present, but this program " +
                                  known + "a newer program is needed");
    other[c].version = 0;
    EXPECT_THAT(outcome(other), testing::EndsWith(known + "bind it again"));
  }
}

TEST(PeltFile, ChunksInAWrongPlaceAreRefused) {
  const std::vector<FileChunk> chunks = make_chunks();
  const Bytes bytes = file_of(chunks);
  const auto after = [&](std::size_t chunk, std::size_t member, auto value) {
    Bytes changed = bytes;
    put(changed, line_at(chunk) + member, value);
    return error_of(sealed(std::move(changed)));
  };
  std::uint64_t begin = 0;
  std::memcpy(&begin, bytes.data() + line_at(1) + kLineOffset, sizeof begin);
  for (const std::uint64_t wrong : {begin - 64, begin + 64, begin + 4, std::uint64_t{0}, ~std::uint64_t{0}}) {
    EXPECT_EQ(after(1, kLineOffset, wrong),
              error_at(1, "SKEL", 2) + fmt::format("begins at byte {} instead of {}", wrong, begin));
  }
  for (const std::uint64_t wrong : {bytes.size() - begin + 1, ~std::uint64_t{0}}) {
    EXPECT_EQ(after(1, kLineLength, wrong),
              error_at(1, "SKEL", 2) + fmt::format("has {} bytes, but {} are left", wrong, bytes.size() - begin));
  }
  EXPECT_EQ(after(1, kLineFlags, std::uint16_t{3}), error_at(1, "SKEL", 2) + "has flags 3, which must be 0 or 1");
  EXPECT_EQ(after(1, kLineFlags, std::uint16_t{0}), error_at(1, "SKEL", 2) + "must be required");
  const std::size_t rig = find_chunk(chunks, "RIG ");
  EXPECT_EQ(after(rig, kLineFlags, std::uint16_t{1}), error_at(rig, "RIG ") + "must be optional");

  for (std::size_t c = 0; c + 1 < chunks.size(); ++c) {
    if (chunks[c].type == chunks[c + 1].type) continue;
    std::vector<FileChunk> swapped = chunks;
    std::swap(swapped[c], swapped[c + 1]);
    EXPECT_THAT(error_of(file_of(swapped)), HasSubstr("out of order")) << chunks[c].type;
  }
  for (const auto& [type, version] :
       {std::pair{"CHAR", 1}, {"SKEL", 2}, {"MATL", 1}, {"CLIP", 1}, {"RIG ", 1}, {"BONE", 1}, {"ANCH", 1}}) {
    const std::size_t c = find_chunk(chunks, type);
    std::vector<FileChunk> twice = chunks;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(c), chunks[c]);
    EXPECT_EQ(error_of(file_of(twice)), error_at(c + 1, type, version) + "is repeated or out of order");
  }
  for (const auto& [type, version] : {std::pair{"CHAR", 1}, {"SKEL", 2}, {"MATL", 1}}) {
    const std::size_t c = find_chunk(chunks, type);
    std::vector<FileChunk> fewer = chunks;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(c));
    EXPECT_EQ(error_of(file_of(fewer)), error_at(c, type, version) + "is missing or out of order");
  }
  std::vector<FileChunk> fewer = chunks;
  std::erase_if(fewer, [](const FileChunk& chunk) { return chunk.type == "MESH"; });
  EXPECT_NE(error_of(file_of(fewer)), "accepted");
  EXPECT_EQ(error_of(file_of({})), error_at(0, "CHAR") + "is missing or out of order");
}

TEST(PeltFile, WhatStandsBetweenAndBehindIsRefused) {
  const std::vector<FileChunk> chunks = make_chunks();
  const Bytes bytes = file_of(chunks);
  std::size_t end = line_at(chunks.size());
  for (const FileChunk& chunk : chunks) {
    const std::size_t begin = (end + 63) / 64 * 64;
    const bool gap = begin != end;
    end = begin + chunk.payload.size();
    if (!gap) continue;
    Bytes changed = bytes;
    changed[begin - 1] = std::byte{1};
    EXPECT_EQ(error_of(sealed(std::move(changed))),
              fmt::format("x.pelt: byte {}: the padding that ends here is not zero", begin));
  }
  std::vector<FileChunk> longer = chunks;
  longer[1].payload.resize(longer[1].payload.size() + 4);
  EXPECT_THAT(error_of(file_of(longer)), HasSubstr("in chunk 'SKEL' of version 2: 4 bytes are left at its end"));
  longer = chunks;
  longer[find_chunk(chunks, "CLIP")].payload = Bytes(4);
  EXPECT_THAT(error_of(file_of(longer)), HasSubstr("in chunk 'CLIP' of version 1: is empty: it must be left out"));
  longer = chunks;
  longer[find_chunk(chunks, "PASS")].payload[63] = std::byte{1};  // before the first record
  EXPECT_THAT(error_of(file_of(longer)), HasSubstr("in chunk 'PASS' of version 6: the padding that ends here"));
}

TEST(PeltFile, SaysWhereItBreaks) {
  std::vector<FileChunk> chunks = make_chunks();
  Bytes& payload = chunks[0].payload;
  put(payload, 0, std::uint32_t{0xffffffff});  // length of the character's name
  const std::size_t begin = (line_at(chunks.size()) + 63) / 64 * 64;
  EXPECT_EQ(error_of(file_of(chunks)),
            fmt::format("x.pelt: byte {}: in chunk 'CHAR' of version 1: 4294967295 entries of at least 1 bytes each, "
                        "but {} bytes are left",
                        begin + 4, payload.size() - 4));
  put(payload, 0, std::uint32_t{1});  // "t", then padding that was "est"
  EXPECT_EQ(
      error_of(file_of(chunks)),
      fmt::format("x.pelt: byte {}: in chunk 'CHAR' of version 1: the padding that ends here is not zero", begin + 8));
}

}  // namespace
}  // namespace pelt
