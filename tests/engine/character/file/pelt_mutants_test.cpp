// SPDX-License-Identifier: MIT
// Tests that damaged files are refused.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include <pelt/evaluate.h>
#include <pelt/key_pose.h>
#include <pelt/linear_blend.h>
#include <pelt/pose.h>

#include "tests/engine/character/file/pelt_bytes.h"
#include "tests/engine/character/largest_allocation.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/graded.h"
#include "tests/support/morphs.h"

namespace pelt {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using test::Bytes;
using test::chunks_of;
using test::file_of;
using test::FileChunk;
using test::kHeaderSize;
using test::put;
using test::sealed;

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
  EXPECT_THAT(error_of(longer), HasSubstr("must have"));
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

// Moves a character by all its controls.
void move(const Character& character) {
  std::vector<glm::mat4> joints(character->skeleton.joints.size());
  rest_matrices(character->skeleton, joints);
  Evaluator evaluator(character);
  evaluator.pose(joints);
  for (std::size_t c = 0; c < character->controls.size(); ++c) evaluator.control(c, 0.75f);
  evaluator.evaluate();
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
      std::uint32_t word = 0, other = 0;
      std::memcpy(&word, bytes.data() + at, 4);
      std::memcpy(&other, bytes.data() + kHeaderSize + 4 * below(words), 4);
      // One more, one less, anything, a small number, another bit, not a number, or another word.
      const std::uint32_t changed[] = {
          word + 1,    word - 1, std::uint32_t(random()), std::uint32_t(below(64)), word ^ (1u << below(32)),
          0x7fc00000u, other};
      put(bytes, at, changed[below(std::size(changed))]);
    }
    bytes = sealed(std::move(bytes));
    const auto character = deserialize(bytes, "x.pelt");
    ++(character ? counts.accepted : counts.refused);
    if (character) {
      std::vector<FileChunk> read = chunks_of(bytes);
      std::erase_if(read, [&](const FileChunk& chunk) {
        return std::none_of(chunks.begin(), chunks.end(), [&](const FileChunk& one) { return one.type == chunk.type; });
      });
      EXPECT_TRUE(serialize(*character) == file_of(read)) << "mutant " << mutant;
      move(*character);
      if (!(*character)->levels.empty()) move(character->at_level((*character)->coarsest_level()));
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

class PeltFileOfADeformer : public testing::TestWithParam<test::Deformer> {};

TEST_P(PeltFileOfADeformer, SealedMutantsAreRefusedOrReadExactly) {
  const test::Subject subject = test::make_subject(GetParam());
  const Counts counts = try_mutants(serialize(test::bound(subject.model, subject.rig).character), 2000);
  EXPECT_GT(counts.accepted, 50u);
  EXPECT_GT(counts.refused, 200u);
}

class PeltFileOfGradientMutants : public testing::TestWithParam<test::Graded> {};

TEST_P(PeltFileOfGradientMutants, AreRefusedOrReadExactly) {
  const Counts counts = try_mutants(serialize(test::make_graded(50, GetParam())), 2000);
  EXPECT_GT(counts.accepted, 50u);
  EXPECT_GT(counts.refused, 200u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PeltFileOfGradientMutants, testing::ValuesIn(test::kGraded));

INSTANTIATE_TEST_SUITE_P(Deformers, PeltFileOfADeformer, testing::ValuesIn(test::deformers()),
                         testing::PrintToStringParamName());

// A face with all that moves its morph targets: controls, a clip, expressions, and correctives by both kinds of keys.
// It has a level of detail, a human bone and a helper joint.
Character make_face() {
  const test::TubeOptions tube{.around = 3, .along = 4, .joints = 3};
  Model model = test::make_tube(tube);
  model.skeleton.joints[2].parent = 0;
  model.skeleton.human_bones = {{"head", 1}};
  model.levels = {{0, 2, test::make_tube_mesh({.around = 3, .along = 3, .joints = 3})}};
  model.levels[0].mesh.name = "coarse";
  test::add_morph_targets(model.meshes[0], 13);
  test::add_morph_targets(model.levels[0].mesh, 13);
  const std::string name = model.meshes[0].name;
  model.expressions = {{"happy", false, {{name, 0, 0.5f}, {name, 12, 1}}}, {"blink", true, {{name, 1, 1}}}};
  model.clips = {
      {"talk", 1, {}, {{name, 3, Interpolation::kCubicSpline, {0, 1}, {0, 0, 1, 1, 1, 0}}, {name, 12, {}, {0}, {1}}}}};
  Rig rig = test::rig_of(LinearBlendParameters{}, name);
  rig.helper_joints = {{.joint = "joint2", .source = "joint1", .twist = 0.5f}};
  for (const KeyInterpolation interpolation : {KeyInterpolation::kLinear, KeyInterpolation::kRbf}) {
    const KeyPoseSet keys{{{"joint1", {0, 0, 1}}}, interpolation, {{{40}, "target1", {{2, {0, 0.1f, 0}}}}}};
    rig.correctives.push_back({name, keys});
  }
  return test::bound(model, rig).character;
}

TEST(PeltFileOfAFace, SealedMutantsAreRefusedOrReadExactly) {
  const Counts counts = try_mutants(serialize(make_face()), 10000);
  EXPECT_GT(counts.accepted, 500u);
  EXPECT_GT(counts.refused, 1000u);
}

}  // namespace
}  // namespace pelt
