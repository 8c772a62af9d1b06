// SPDX-License-Identifier: MIT
#include "engine/binding/pack.h"

#include <limits>
#include <random>

#include "shaders/blend/blend.h"

namespace pelt {
namespace {

struct Sample {
  SparseRows rows;
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;

  RestGeometry rest() const { return {positions, normals, {}}; }
};

// Rows of 1 to 9 influences over 50 palette entries.
Sample make_sample(std::size_t count) {
  Sample sample;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0.01, 1);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<WeightedElement> row(1 + random() % 9);
    for (std::uint32_t k = 0; k < row.size(); ++k)
      row[k] = {(k * 5 + static_cast<std::uint32_t>(i)) % 50, unit(random)};
    append_row(sample.rows, row);
    sample.positions.emplace_back(static_cast<float>(i), 1, 2);
    sample.normals.push_back(glm::normalize(glm::vec3(unit(random), unit(random), -unit(random))));
  }
  return sample;
}

class PackSizes : public testing::TestWithParam<std::size_t> {};

TEST_P(PackSizes, RoundTripsAndIsValid) {
  const Sample sample = make_sample(GetParam());
  for (const bool sorted : {false, true}) {
    const std::vector<std::uint32_t> order = sorted ? order_by_row_length({&sample.rows, 1}) : std::vector<std::uint32_t>{};
    const Result<PackedBinding> packed = pack({&sample.rows, 1}, sample.rest(), order);
    ASSERT_TRUE(packed) << packed.error().message;
    ASSERT_EQ(packed->vertex_count(), GetParam());
    const Result<void> valid = validate(*packed, 50, Groups::kOne, "sample");
    EXPECT_TRUE(valid) << valid.error().message;
    const SparseRows back = unpack_rows(*packed);
    ASSERT_EQ(back.row_count(), GetParam());
    for (std::size_t r = 0; r < GetParam(); ++r) {
      const std::size_t source = order.empty() ? r : order[r];
      EXPECT_EQ(packed->points[r], sample.positions[source]);
      EXPECT_GT(glm::dot(shared::unpack_normal(packed->directions[r].x), sample.normals[source]), 0.999999f);
      ASSERT_EQ(back.row(r).size(), sample.rows.row(source).size());
      for (std::size_t k = 0; k < back.row(r).size(); ++k) {
        EXPECT_EQ(back.row(r)[k].index, sample.rows.row(source)[k].index);
        EXPECT_NEAR(back.row(r)[k].weight, sample.rows.row(source)[k].weight, 1.6 / 65535);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PackSizes, testing::Values(0, 1, 31, 32, 33, 63, 64, 65, 1234, 5000));

TEST(Pack, LengthOrderWastesLittle) {
  const Sample sample = make_sample(5000);
  const PackedBinding as_is = *pack({&sample.rows, 1}, sample.rest(), {});
  const PackedBinding sorted = *pack({&sample.rows, 1}, sample.rest(), order_by_row_length({&sample.rows, 1}));
  EXPECT_LT(static_cast<double>(sorted.influences.size()), 1.05 * static_cast<double>(sample.rows.influences.size()));
  EXPECT_LT(sorted.influences.size(), as_is.influences.size());
}

TEST(Pack, EqualWeightsKeepTheirSum) {
  SparseRows rows;
  std::vector<WeightedElement> row;
  for (std::uint32_t k = 0; k < 4000; ++k) row.push_back({k, 1});
  append_row(rows, row);
  const std::vector<glm::vec3> one{{0, 0, 1}};
  const Result<PackedBinding> packed = pack({&rows, 1}, {one, one, {}}, {});
  ASSERT_TRUE(packed);
  EXPECT_TRUE(validate(*packed, 4000, Groups::kOne, "row"));
  const SparseRows back = unpack_rows(*packed);
  ASSERT_GT(back.row(0).size(), 0u);
  for (const Influence& influence : back.row(0)) EXPECT_NEAR(influence.weight, 1.0 / 4000, 1.0 / 65535);
}

TEST(Pack, Refuses) {
  Sample sample = make_sample(3);
  EXPECT_FALSE(pack({&sample.rows, 1}, {}, {}));
  EXPECT_FALSE(pack({&sample.rows, 1}, sample.rest(), std::vector<std::uint32_t>{0, 1}));
  EXPECT_FALSE(pack({&sample.rows, 1}, sample.rest(), std::vector<std::uint32_t>{0, 1, 3}));
  sample.rows.influences.front().index = 0x10000;
  const Result<PackedBinding> packed = pack({&sample.rows, 1}, sample.rest(), {});
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().code, ErrorCode::kUnsupported);
}

TEST(Pack, ValidationFindsEveryFault) {
  const Sample sample = make_sample(65);
  const PackedBinding good = *pack({&sample.rows, 1}, sample.rest(), {});
  ASSERT_TRUE(validate(good, 50, Groups::kOne, "good"));
  const auto breaks = [&](const auto& change) {
    PackedBinding bad = good;
    change(bad);
    return !validate(bad, 50, Groups::kOne, "bad");
  };
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.directions.pop_back(); }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slices.pop_back(); }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slices.clear(); }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slices[0] = 32; }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slices[1] += 1; }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slices[1] = 0xFFFFFFE0u; }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.influences.pop_back(); }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.influences[3] += 1u << 16u; }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.influences[3] = (b.influences[3] & 0xFFFF0000u) | 50u; }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.influences.back() |= 0x10000u; })) << "a row past the end has weight";
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.points[64].y = std::numeric_limits<float>::infinity(); }));
  EXPECT_FALSE(validate(PackedBinding{}, 1, Groups::kOne, "default")) << "the default has no slices";
}

}  // namespace
}  // namespace pelt
