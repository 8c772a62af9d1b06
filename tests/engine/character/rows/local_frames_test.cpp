// SPDX-License-Identifier: MIT
// Tests the local frames of pack: B is the identity at bind.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include <pelt/pack.h>

#include "engine/character/evaluate/blend.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

constexpr std::uint32_t kLocalEntries = 6;

// Groups of both signs with one local point, and a group of rest positions. Entries 0 to 4 have transforms at bind that
// are not rigid; the last one has none.
struct LocalSample {
  explicit LocalSample(std::size_t count) : groups(3), points(3) {
    std::mt19937 random(5);
    const auto any = [&] { return static_cast<float>(random() % 2001) / 1000 - 1; };
    const auto vector = [&] { return glm::vec3(any(), any(), any()); };
    for (std::uint32_t k = 0; k + 1 < kLocalEntries; ++k) {
      const glm::mat3 turn(glm::vec3(0, 1, 0), glm::vec3(-1, 0, 0), glm::vec3(0, 0, 1));
      at_bind.push_back(affine_from_axes(turn + 0.3f * glm::mat3(vector(), vector(), vector()), vector()));
    }
    at_bind.push_back(Affine(0.0f));
    const float shares[] = {1.2f, -0.4f, 0.2f};
    for (std::size_t v = 0; v < count; ++v) {
      const glm::vec3 local = vector();
      const Influence rows[3][3] = {
          {{0, 0.5f}, {1, 0.25f}, {2, 0.25f}}, {{2, 0.5f}, {3, 0.25f}, {4, 0.25f}}, {{5, 1.0f}}};
      glm::vec3 rest(0.0f);  // the groups of the local point sum to 0.8 of it
      for (int g = 0; g < 2; ++g) {
        for (const Influence& influence : rows[g])
          rest += shares[g] / 0.8f * influence.weight * transform_point(at_bind[influence.index], local);
      }
      glm::vec3 left(0.0f);
      for (std::size_t g = 0; g < 3; ++g) {
        std::vector<glm::vec3> gradients;
        const std::size_t size = g == 2 ? 1 : 3;
        for (std::size_t k = 0; k < size; ++k) {
          gradients.push_back(g == 2 ? -left : vector());
          left += gradients.back();
        }
        groups[g].append_row({rows[g], size}, gradients);
        points[g].emplace_back(g == 2 ? rest : local, shares[g]);
      }
      positions.push_back(rest);
      normals.push_back(glm::normalize(vector() + glm::vec3(0, 0, 2)));
    }
  }

  PackedBinding packed(std::span<const Affine> entries) const {
    return test::must(pack(groups, {positions, normals, {}}, {}, points, entries));
  }

  std::vector<SparseRows> groups;
  std::vector<std::vector<glm::vec4>> points;
  std::vector<Affine> at_bind;
  std::vector<glm::vec3> positions, normals;
};

TEST(LocalFrames, MakeFramesTheIdentityAtBind) {
  for (const std::size_t count : {1u, 33u, 65u}) {
    const LocalSample sample(count);
    const PackedBinding packed = sample.packed(sample.at_bind);
    EXPECT_EQ(local_frames(packed).size(), 4 * 3 * count);
    test::must(validate(packed, kLocalEntries, Groups::kWithPoints, "sample"));
    std::vector<Affine> palette = sample.at_bind;
    palette.back() = affine_identity();
    std::vector<glm::vec3> positions(count), normals(count);
    std::vector<Affine> frames(count);
    blend_offsets(packed, rest_shape(packed), {0, packed.slices.size() - 1}, palette,
                  {.positions = positions.data(), .normals = normals.data(), .frames = frames.data()});
    for (std::size_t v = 0; v < count; ++v) {
      EXPECT_LT(glm::distance(positions[v], sample.positions[v]), 1e-3f);
      EXPECT_LT(glm::distance(normals[v], sample.normals[v]), 1e-3f);
      for (int c = 0; c < 3; ++c)
        EXPECT_LT(glm::distance(affine_axes(frames[v])[c], glm::mat3(1)[c]), 1e-3f) << v << ' ' << c;
    }
  }
}

TEST(LocalFrames, AreLeftOutIfNoEntryNeedsThem) {
  const LocalSample sample(33);
  EXPECT_TRUE(local_frames(sample.packed({})).empty());
  const std::vector<Affine> none(kLocalEntries, Affine(0.0f));
  EXPECT_TRUE(local_frames(sample.packed(none)).empty());
}

TEST(LocalFrames, AreValidated) {
  const LocalSample sample(65);
  PackedBinding packed = sample.packed(sample.at_bind);
  packed.local_points.back().y = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(test::error_of(validate(packed, kLocalEntries, Groups::kWithPoints, "bad")),
            "bad: a local frame of row 64 is not finite, or beyond 1e+12");
}

}  // namespace
}  // namespace pelt
