// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <string_view>

#include <pelt/bind.h>
#include <pelt/dual_quaternion.h>
#include <pelt/evaluate.h>
#include <pelt/import.h>
#include <pelt/pelt_file.h>
#include <pelt/pose.h>
#include <pelt/rig.h>
#include <pelt/surface_ffd.h>

#include "tests/engine/character/largest_allocation.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/graded.h"
#include "tests/support/sealed.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using test::Bytes;
using test::chunks_of;
using test::file_of;
using test::FileChunk;
using test::kHeaderSize;
using test::kLineFlags;
using test::kLineLength;
using test::kLineOffset;
using test::kLineSize;
using test::kLineVersion;
using test::kTableAt;
using test::kVersionAt;
using test::put;
using test::sealed;
using testing::HasSubstr;
using testing::StartsWith;

// Makes a character with every pose kernel and blend mode, a control mesh that writes frames, materials, texture
// coordinates, a matrix joint, and a clip of each interpolation.
Character make_character() {
  Model model = test::make_tube({.around = 5, .along = 4});
  model.name = "test";
  for (const char* name : {"second", "third", "fourth", "cage"}) {
    Mesh mesh = model.meshes[0];
    mesh.name = name;
    model.meshes.push_back(mesh);
  }
  model.materials = {{"skin", {1, 0.5f, 0.25f, 1}}, {"", {}}};
  model.meshes[0].uvs.assign(model.meshes[0].positions.size(), glm::vec2(0.5f, 0.25f));
  const auto triangles = static_cast<std::uint32_t>(model.meshes[0].triangles.size());
  model.meshes[0].parts = {{0, 3, 1}, {3, triangles - 3, -1}};
  model.skeleton.joints[1].matrix = glm::mat4(1.0f);
  model.skeleton.human_bones = {{"head", 1}};
  model.clips = {
      {"wave",
       2,
       {{0, ChannelPath::kTranslation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 0, 0}},
        {1, ChannelPath::kRotation, Interpolation::kStep, {0.5f}, {0, 0, 0, 1}}}},
      {"hold", 1, {{1, ChannelPath::kScale, Interpolation::kCubicSpline, {0}, {0, 0, 0, 1, 1, 1, 0, 0, 0}}}},
  };
  Rig rig;
  rig.layers.push_back({"second", DualQuaternionParameters{}, {}});
  SurfaceFfdParameters ffd;
  ffd.elements = 4;
  ffd.driver.mesh = "cage";
  rig.layers.push_back({"third", ffd, {}});
  ffd.mode = SurfaceFfdParameters::Mode::kBasic;
  rig.layers.push_back({"fourth", ffd, {}});
  Result<Bound> bound = bind(model, rig);
  EXPECT_TRUE(bound) << bound.error().message;
  return bound->character;
}

// Returns the error of reading `bytes`, or "accepted".
std::string error_of(const Bytes& bytes) {
  const auto character = deserialize(bytes, "x.pelt");
  return character ? "accepted" : character.error().message;
}

class PeltFileRoundTrip : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(PeltFileRoundTrip, IsExact) {
  const auto& [model_name, deformer] = GetParam();
  const auto model = import_model(model_name);
  ASSERT_TRUE(model) << model.error().message;
  const auto rig = rig_from_deformer_name(deformer);
  ASSERT_TRUE(rig) << rig.error().message;
  const auto bound = bind(*model, *rig, {.threads = 1});
  ASSERT_TRUE(bound) << bound.error().message;
  const Bytes bytes = serialize(bound->character);
  const auto read = deserialize(bytes, "x.pelt");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(serialize(*read) == bytes);
  EXPECT_EQ(read->size(), bound->character.size());

  const auto again = bind(*model, *rig, {.threads = 2});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(serialize(again->character) == bytes) << "depends on the thread count";
}

INSTANTIATE_TEST_SUITE_P(Builtin, PeltFileRoundTrip,
                         testing::Values(std::pair("builtin:limb", "linear-blend"),
                                         std::pair("builtin:limb", "dual-quaternion"),
                                         std::pair("builtin:limb", "surface-ffd"),
                                         std::pair("builtin:tail", "surface-ffd"),
                                         std::pair("builtin:biped", "dual-quaternion")));

TEST(PeltFile, KeepsEverything) {
  const Character character = make_character();
  const Bytes bytes = serialize(character);
  EXPECT_EQ(bytes.size() % 4, 0u);
  const auto read = deserialize(bytes, "x.pelt");
  ASSERT_TRUE(read) << read.error().message;
  const CharacterData& a = *character;
  const CharacterData& b = **read;
  EXPECT_EQ(b.name, "test");
  ASSERT_EQ(b.skeleton.joints.size(), a.skeleton.joints.size());
  for (std::size_t j = 0; j < a.skeleton.joints.size(); ++j) {
    EXPECT_EQ(b.skeleton.joints[j].name, a.skeleton.joints[j].name);
    EXPECT_EQ(b.skeleton.joints[j].parent, a.skeleton.joints[j].parent);
    EXPECT_EQ(b.skeleton.joints[j].rest.translation, a.skeleton.joints[j].rest.translation);
    EXPECT_EQ(b.skeleton.joints[j].rest.rotation, a.skeleton.joints[j].rest.rotation);
    EXPECT_EQ(b.skeleton.joints[j].rest.scale, a.skeleton.joints[j].rest.scale);
    EXPECT_EQ(b.skeleton.joints[j].matrix, a.skeleton.joints[j].matrix);
  }
  ASSERT_EQ(b.bound_joints.size(), a.bound_joints.size());
  for (std::size_t j = 0; j < a.bound_joints.size(); ++j) {
    EXPECT_EQ(b.bound_joints[j].joint, a.bound_joints[j].joint);
    EXPECT_EQ(b.bound_joints[j].inverse_bind, a.bound_joints[j].inverse_bind);
  }
  ASSERT_EQ(b.clips.size(), 2u);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(b.clips[c].name, a.clips[c].name);
    EXPECT_EQ(b.clips[c].duration, a.clips[c].duration);
    ASSERT_EQ(b.clips[c].channels.size(), a.clips[c].channels.size());
    for (std::size_t k = 0; k < a.clips[c].channels.size(); ++k) {
      EXPECT_EQ(b.clips[c].channels[k].joint, a.clips[c].channels[k].joint);
      EXPECT_EQ(b.clips[c].channels[k].path, a.clips[c].channels[k].path);
      EXPECT_EQ(b.clips[c].channels[k].interpolation, a.clips[c].channels[k].interpolation);
      EXPECT_EQ(b.clips[c].channels[k].times, a.clips[c].channels[k].times);
      EXPECT_EQ(b.clips[c].channels[k].values, a.clips[c].channels[k].values);
    }
  }
  ASSERT_EQ(b.materials.size(), 2u);
  EXPECT_EQ(b.materials[0].name, "skin");
  EXPECT_EQ(b.materials[0].base_color, a.materials[0].base_color);
  ASSERT_EQ(b.passes.size(), a.passes.size());
  for (std::size_t p = 0; p < a.passes.size(); ++p) {
    EXPECT_EQ(b.passes[p].kernel, a.passes[p].kernel);
    EXPECT_EQ(b.passes[p].stage, a.passes[p].stage);
    EXPECT_EQ(b.passes[p].first_slot, a.passes[p].first_slot);
    EXPECT_EQ(b.passes[p].record_count, a.passes[p].record_count);
    EXPECT_EQ(b.passes[p].records, a.passes[p].records);
  }
  EXPECT_TRUE(std::any_of(a.meshes.begin(), a.meshes.end(), [](const CharacterMesh& m) { return !!m.frame_slot; }));
  ASSERT_EQ(b.meshes.size(), a.meshes.size());
  for (std::size_t m = 0; m < a.meshes.size(); ++m) {
    EXPECT_EQ(b.meshes[m].name, a.meshes[m].name);
    EXPECT_EQ(b.meshes[m].deformer, a.meshes[m].deformer);
    EXPECT_FALSE(a.meshes[m].deformer.empty());
    EXPECT_EQ(b.meshes[m].control, a.meshes[m].control);
    EXPECT_EQ(b.meshes[m].mode, a.meshes[m].mode);
    EXPECT_EQ(b.meshes[m].stage, a.meshes[m].stage);
    EXPECT_EQ(b.meshes[m].first_vertex, a.meshes[m].first_vertex);
    EXPECT_EQ(b.meshes[m].first_slot, a.meshes[m].first_slot);
    EXPECT_EQ(b.meshes[m].frame_slot, a.meshes[m].frame_slot);
    EXPECT_EQ(b.meshes[m].binding.points, a.meshes[m].binding.points);
    EXPECT_EQ(b.meshes[m].binding.directions, a.meshes[m].binding.directions);
    EXPECT_EQ(b.meshes[m].binding.slices, a.meshes[m].binding.slices);
    EXPECT_EQ(b.meshes[m].binding.influences, a.meshes[m].binding.influences);
    EXPECT_EQ(b.meshes[m].source_vertex, a.meshes[m].source_vertex);
    EXPECT_EQ(b.meshes[m].triangles, a.meshes[m].triangles);
    EXPECT_EQ(b.meshes[m].uvs, a.meshes[m].uvs);
    EXPECT_EQ(b.meshes[m].weights, a.meshes[m].weights);
    EXPECT_EQ(b.meshes[m].weights.row_count(), a.meshes[m].control ? 0 : a.meshes[m].vertex_count());
    ASSERT_EQ(b.meshes[m].parts.size(), a.meshes[m].parts.size());
    for (std::size_t p = 0; p < a.meshes[m].parts.size(); ++p) {
      EXPECT_EQ(b.meshes[m].parts[p].first_triangle, a.meshes[m].parts[p].first_triangle);
      EXPECT_EQ(b.meshes[m].parts[p].triangle_count, a.meshes[m].parts[p].triangle_count);
      EXPECT_EQ(b.meshes[m].parts[p].material, a.meshes[m].parts[p].material);
    }
  }
  EXPECT_EQ(b.palette_size, a.palette_size);
  EXPECT_EQ(b.stage_count, a.stage_count);
}

TEST(PeltFile, WhatIsNoPeltFileIsRefused) {
  EXPECT_EQ(error_of({}), "x.pelt: is no .pelt file");
  EXPECT_EQ(error_of(Bytes(3, std::byte{'P'})), "x.pelt: is no .pelt file");
  EXPECT_EQ(error_of(Bytes(1000, std::byte{0})), "x.pelt: is no .pelt file");
  Bytes bytes = serialize(make_character());
  EXPECT_EQ(error_of(bytes), "accepted");
  bytes[0] = std::byte{'p'};
  EXPECT_EQ(error_of(sealed(bytes)), "x.pelt: is no .pelt file");
}

TEST(PeltFile, OtherVersionsAreNamed) {
  Bytes bytes = serialize(make_character());
  put(bytes, kVersionAt, kPeltFileVersion + 1);
  const auto newer = deserialize(bytes, "x.pelt");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(newer.error().message,
            "x.pelt: has version 9 of the format, and this program reads version 8: a newer program is needed");
  put(bytes, kVersionAt, std::uint32_t{7});
  EXPECT_EQ(error_of(bytes), "x.pelt: has version 7 of the format, and this program reads version 8: bind it again");
}

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
    const bool required = chunks[c].type != "CLIP" && chunks[c].type != "RIG " && chunks[c].type != "BONE";
    EXPECT_EQ(chunks[c].flags, required ? 1 : 0);
  }
  EXPECT_THAT(types, testing::ElementsAre("CHAR", "SKEL", "MATL", "PASS", "MESH", "CLIP", "RIG ", "BONE"));

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
      const auto read = deserialize(file_of(more), "x.pelt");
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_TRUE(serialize(*read) == bytes) << "it is not kept";
    }
  }
  std::vector<FileChunk> fewer = chunks;
  std::erase_if(fewer, [](const FileChunk& chunk) { return chunk.flags == 0; });
  const auto read = deserialize(file_of(fewer), "x.pelt");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE((*read)->rig.empty());
  EXPECT_TRUE((*read)->clips.empty());
  EXPECT_TRUE(serialize(*read) == file_of(fewer));
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
  EXPECT_EQ(outcome(more), error_at(2, "XT??", 3) + "is required and not known: a newer program is needed");
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    std::vector<FileChunk> other = chunks;
    ++other[c].version;
    const std::string known = fmt::format("reads version {}: ", chunks[c].version);
    EXPECT_EQ(outcome(other), error_at(c, chunks[c].type.c_str(), other[c].version) + "is here, and this program " +
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
  EXPECT_EQ(after(1, kLineFlags, std::uint16_t{3}), error_at(1, "SKEL", 2) + "has flags 3, and not 0 or 1");
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
       {std::pair{"CHAR", 1}, {"SKEL", 2}, {"MATL", 1}, {"CLIP", 1}, {"RIG ", 1}, {"BONE", 1}}) {
    const std::size_t c = find_chunk(chunks, type);
    std::vector<FileChunk> twice = chunks;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(c), chunks[c]);
    EXPECT_EQ(error_of(file_of(twice)), error_at(c + 1, type, version) + "stands there twice or out of order");
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
  EXPECT_THAT(error_of(file_of(longer)), HasSubstr("in chunk 'CLIP' of version 1: is empty, and should be left out"));
  longer = chunks;
  longer[find_chunk(chunks, "PASS")].payload[63] = std::byte{1};  // before the first record
  EXPECT_THAT(error_of(file_of(longer)), HasSubstr("in chunk 'PASS' of version 2: the padding that ends here"));
}

TEST(PeltFile, EveryTruncationIsRefused) {
  const Bytes bytes = serialize(make_character());
  for (std::size_t k = 0; k < 64; ++k) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() * k / 64));
    EXPECT_NE(error_of(part), "accepted") << part.size();
    // With a right size and checksum the part still ends too early.
    if (part.size() < kHeaderSize) continue;
    EXPECT_THAT(error_of(sealed(part)), StartsWith("x.pelt: byte ")) << part.size();
  }
  Bytes longer = bytes;
  longer.resize(bytes.size() + 4);
  EXPECT_THAT(error_of(longer), HasSubstr("should have"));
  EXPECT_EQ(error_of(sealed(longer)), fmt::format("x.pelt: byte {}: 4 bytes are left at the end", bytes.size()));
}

TEST(PeltFile, EveryChangedByteIsFound) {
  const Bytes bytes = serialize(make_character());
  for (std::size_t at = 0; at < bytes.size(); at += at < 256 ? 1 : 7) {
    for (const unsigned bit : {0u, 7u}) {
      Bytes changed = bytes;
      changed[at] ^= std::byte{1} << bit;
      EXPECT_NE(error_of(changed), "accepted") << "byte " << at;
    }
  }
}

TEST(PeltFile, HugeCountsAreRefusedBeforeTheyAreAllocated) {
  const Bytes bytes = serialize(make_character());
  for (std::size_t at = kHeaderSize; at < bytes.size(); at += 4) {
    for (const std::uint32_t count : {0xffffffffu, 0x7fffffffu, 0x10000000u, 0x01000000u}) {
      Bytes changed = bytes;
      put(changed, at, count);
      changed = sealed(std::move(changed));
      test::forget_allocations();
      (void)deserialize(changed, "x.pelt");
      EXPECT_LE(test::largest_allocation(), 32 * bytes.size()) << "byte " << at << " count " << count;
    }
  }
}

struct Counts {
  std::size_t accepted = 0;
  std::size_t refused = 0;
};

// Whatever a file with a good checksum contains, it is refused, or it is a character that writes the same file and can
// be moved.
Counts try_mutants(const Bytes& original, int mutants) {
  const std::vector<FileChunk> chunks = chunks_of(original);
  std::mt19937 random(1);  // its sequence is the same everywhere, unlike that of the distributions
  const auto below = [&](std::size_t count) { return random() % count; };
  Counts counts;
  test::forget_allocations();
  for (int mutant = 0; mutant < mutants; ++mutant) {
    Bytes bytes = original;
    std::size_t changes = 1 + below(3);
    if (below(4) == 0) {  // add or remove a word of a chunk
      std::vector<FileChunk> longer = chunks;
      Bytes& payload = longer[below(longer.size())].payload;
      const auto place = payload.begin() + static_cast<std::ptrdiff_t>(4 * below(payload.size() / 4));
      if (below(2) == 0) {
        payload.erase(place, place + 4);
      } else {
        payload.insert(place, 4, std::byte{0});
      }
      bytes = file_of(longer);
      --changes;
    }
    for (std::size_t c = 0; c < changes; ++c) {
      const std::size_t words = (bytes.size() - kHeaderSize) / 4;
      const std::size_t at = kHeaderSize + 4 * below(words);
      std::uint32_t word = 0;
      std::memcpy(&word, bytes.data() + at, 4);
      switch (below(6)) {
        case 0:
          put(bytes, at, word + 1);
          break;
        case 1:
          put(bytes, at, word - 1);
          break;
        case 2:
          put(bytes, at, std::uint32_t(random()));
          break;
        case 3:
          put(bytes, at, std::uint32_t(below(64)));
          break;
        case 4:
          put(bytes, at, word ^ (1u << below(32)));
          break;
        case 5:
          put(bytes, at, 0x7fc00000u);
          break;  // not a number
      }
    }
    bytes = sealed(std::move(bytes));
    const auto character = deserialize(bytes, "x.pelt");
    ++(character ? counts.accepted : counts.refused);
    if (character) {
      std::vector<FileChunk> read = chunks_of(bytes);
      std::erase_if(read, [&](const FileChunk& chunk) {
        return std::none_of(chunks.begin(), chunks.end(), [&](const FileChunk& own) { return own.type == chunk.type; });
      });
      EXPECT_TRUE(serialize(*character) == file_of(read)) << "mutant " << mutant;
      std::vector<glm::mat4> joints((*character)->skeleton.joints.size());
      rest_matrices((*character)->skeleton, joints);
      Evaluator evaluator(*character, {.threads = 1});
      evaluator.pose(joints);
      evaluator.evaluate();
    } else {
      EXPECT_THAT(character.error().message, StartsWith("x.pelt: "));
    }
  }
  EXPECT_LE(test::largest_allocation(), 32 * original.size());
  return counts;
}

TEST(PeltFile, SealedMutantsAreRefusedOrReadExactly) {
  const Counts counts = try_mutants(serialize(make_character()), 20000);
  EXPECT_GT(counts.accepted, 1000u);  // for example a time, a colour or a rest position changed
  EXPECT_GT(counts.refused, 5000u);
}

// The drivers have tables of every kind, streams, controls, offsets and Wires.
class PeltFileOfADriver : public testing::TestWithParam<test::Deformer> {};

TEST_P(PeltFileOfADriver, SealedMutantsAreRefusedOrReadExactly) {
  const test::Subject subject = test::make_subject(GetParam(), test::make_tube({.around = 3, .along = 4}),
                                                   test::make_tube_mesh({.around = 8, .along = 12, .radius = 1.1f}));
  const Counts counts = try_mutants(serialize(test::bound(subject.model, subject.rig).character), 2000);
  EXPECT_GT(counts.accepted, 50u);
  EXPECT_GT(counts.refused, 200u);
}

class PeltFileOfGradients : public testing::TestWithParam<test::Graded> {};

TEST_P(PeltFileOfGradients, IsExact) {
  const Character character = test::make_graded(1234, GetParam());
  const Bytes bytes = serialize(character);
  const auto read = deserialize(bytes, "x.pelt");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(serialize(*read) == bytes);
  for (std::size_t m = 0; m < character->meshes.size(); ++m) {
    EXPECT_EQ((*read)->meshes[m].binding.gradient_units, character->meshes[m].binding.gradient_units);
    EXPECT_EQ((*read)->meshes[m].binding.gradients, character->meshes[m].binding.gradients);
    EXPECT_EQ((*read)->meshes[m].binding.local_points, character->meshes[m].binding.local_points);
  }
  EXPECT_FALSE(character->meshes.front().binding.gradients.empty());
}

TEST_P(PeltFileOfGradients, SealedMutantsAreRefusedOrReadExactly) {
  const Counts counts = try_mutants(serialize(test::make_graded(50, GetParam())), 2000);
  EXPECT_GT(counts.accepted, 50u);
  EXPECT_GT(counts.refused, 200u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PeltFileOfGradients,
                         testing::Values(test::Graded::kSkin, test::Graded::kPartly, test::Graded::kDriver,
                                         test::Graded::kWires, test::Graded::kOffsets, test::Graded::kOffsetDriver));

std::vector<test::Deformer> drivers_with_tables() {
  std::vector<test::Deformer> chosen;
  for (const test::Deformer& deformer : test::deformers()) {
    for (const char* name :
         {"SurfaceFfdEstimatedFrames", "SurfaceFfdStreamed", "SurfaceFfdKeyPoses", "SurfaceFfdMorphTargets",
          "SurfaceFfdPatch", "CurveSkeletonTangentKeyed", "MosEdited", "MosInverseDistance", "Muscle", "Wires"}) {
      if (deformer.name == std::string_view(name)) chosen.push_back(deformer);
    }
  }
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Drivers, PeltFileOfADriver, testing::ValuesIn(drivers_with_tables()),
                         [](const testing::TestParamInfo<test::Deformer>& deformer) { return deformer.param.name; });

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

class PeltFileOnDisk : public testing::Test {
 protected:
  // Each test has its own folder, since tests may run at the same time.
  PeltFileOnDisk()
      : folder(std::filesystem::path(testing::TempDir()) /
               (std::string("pelt_file_test_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~PeltFileOnDisk() override { std::filesystem::remove_all(folder); }

  std::filesystem::path folder;
};

TEST_F(PeltFileOnDisk, SavesAndLoads) {
  const Character character = make_character();
  const auto path = folder / "c.pelt";
  const auto saved = save_pelt(character, path);
  ASSERT_TRUE(saved) << saved.error().message;
  ASSERT_TRUE(save_pelt(character, path)) << "over what was there";
  const auto loaded = load_pelt(path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(serialize(*loaded) == serialize(character));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()), 1)
      << "something else was left behind";
}

TEST_F(PeltFileOnDisk, ErrorsNameTheFile) {
  const Character character = make_character();
  const auto missing = load_pelt(folder / "none.pelt");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("none.pelt"));
  EXPECT_EQ(load_pelt(folder).error().code, ErrorCode::kReadFailed);

  const auto no_folder = save_pelt(character, folder / "none" / "c.pelt");
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().code, ErrorCode::kWriteFailed);
  EXPECT_THAT(no_folder.error().message, HasSubstr("c.pelt"));
  EXPECT_FALSE(save_pelt(character, folder)) << "a folder is no file";

  std::ofstream(folder / "damaged.pelt") << "PELT and then some more text";
  EXPECT_THAT(load_pelt(folder / "damaged.pelt").error().message, HasSubstr("damaged.pelt: "));
}

TEST_F(PeltFileOnDisk, PermissionsAreRespected) {
  const Character character = make_character();
  ASSERT_TRUE(save_pelt(character, folder / "c.pelt"));
  ::chmod((folder / "c.pelt").c_str(), 0);
  ::chmod(folder.c_str(), 0555);
  // Root may do everything: become nobody for a while.
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto loaded = load_pelt(folder / "c.pelt");
  const auto saved = save_pelt(character, folder / "d.pelt");
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ::chmod(folder.c_str(), 0755);

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kReadFailed);
  EXPECT_THAT(loaded.error().message, HasSubstr("c.pelt: "));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::kWriteFailed);
  EXPECT_THAT(saved.error().message, HasSubstr("d.pelt: "));
}

}  // namespace
}  // namespace pelt
