// SPDX-License-Identifier: MIT
#include "engine/binding/pack.h"

#include <limits>
#include <numeric>
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

std::vector<std::uint32_t> by_length(std::span<const SparseRows> groups, std::span<const SlopeRows> slopes = {}) {
  std::vector<std::uint32_t> order(groups[0].row_count());
  std::iota(order.begin(), order.end(), 0u);
  order_by_row_length(groups, slopes, order);
  return order;
}

class PackSizes : public testing::TestWithParam<std::size_t> {};

TEST_P(PackSizes, RoundTripsAndIsValid) {
  const Sample sample = make_sample(GetParam());
  for (const bool sorted : {false, true}) {
    const std::vector<std::uint32_t> order = sorted ? by_length({&sample.rows, 1}) : std::vector<std::uint32_t>{};
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

// Up to 3 slopes in every third row.
SlopeRows make_slopes(std::size_t count) {
  SlopeRows slopes;
  std::mt19937 random(9);
  std::uniform_real_distribution<float> unit(-1, 1);
  std::vector<Slope> row;
  for (std::size_t i = 0; i < count; ++i) {
    row.resize(i % 3 == 0 ? 1 + random() % 3 : 0);
    for (Slope& slope : row) {
      const float size = std::exp(8 * unit(random));
      slope = {static_cast<std::uint32_t>(random() % 49), size * glm::vec3(unit(random), unit(random), unit(random))};
    }
    slopes.append_row(row);
  }
  return slopes;
}

// The length keeps 10 bits; the direction is off by 0.004 degrees at most.
void expect_near(const Slope& actual, const Slope& expected) {
  EXPECT_EQ(actual.slot, expected.slot);
  EXPECT_LT(glm::distance(actual.gradient, expected.gradient), (1.0f / 1024 + 1e-4f) * glm::length(expected.gradient));
}

void expect_near(const SlopeRows& actual, const SlopeRows& expected, std::span<const std::uint32_t> order) {
  ASSERT_EQ(actual.row_count(), expected.row_count());
  for (std::size_t r = 0; r < actual.row_count(); ++r) {
    const std::span<const Slope> row = expected.row(order.empty() ? r : order[r]);
    ASSERT_EQ(actual.row(r).size(), row.size());
    for (std::size_t k = 0; k < row.size(); ++k) expect_near(actual.row(r)[k], row[k]);
  }
}

TEST_P(PackSizes, SlopesRoundTripAndAreValid) {
  const Sample sample = make_sample(GetParam());
  const SlopeRows slopes = make_slopes(GetParam());
  const std::span<const SlopeRows> group(&slopes, 1);
  for (const bool sorted : {false, true}) {
    const std::vector<std::uint32_t> order =
        sorted ? by_length({&sample.rows, 1}, group) : std::vector<std::uint32_t>{};
    const Result<PackedBinding> packed = pack({&sample.rows, 1}, sample.rest(), order, group);
    ASSERT_TRUE(packed) << packed.error().message;
    const Result<void> valid = validate(*packed, 50, Groups::kOne, "sample");
    EXPECT_TRUE(valid) << valid.error().message;
    EXPECT_EQ(packed->slope_slices.empty(), GetParam() == 0);
    expect_near(unpack_slopes(*packed), slopes, order);
    const Result<PackedBinding> without = pack({&sample.rows, 1}, sample.rest(), order);
    EXPECT_EQ(packed->influences, without->influences);
    EXPECT_EQ(packed->points, without->points);
  }
}

// Two groups; the second has slopes where the first has none, and none in its last slices.
TEST_P(PackSizes, SlopesOfGroupsAreMarkedAtTheirEnds) {
  const Sample sample = make_sample(GetParam());
  const SparseRows groups[] = {sample.rows, sample.rows};
  const SlopeRows first = make_slopes(GetParam());
  SlopeRows second;
  for (std::size_t i = 0; i < GetParam(); ++i) {
    second.append_row(first.row(i).empty() && i < 100 ? first.row(i - i % 3) : std::span<const Slope>());
  }
  const SlopeRows slopes[] = {first, second};
  const Result<PackedBinding> packed = pack(groups, sample.rest(), {}, slopes);
  ASSERT_TRUE(packed) << packed.error().message;
  const Result<void> valid = validate(*packed, 50, Groups::kSeveral, "sample");
  EXPECT_TRUE(valid) << valid.error().message;
  for (std::size_t i = 0; i < GetParam() && !packed->slopes.empty(); ++i) {
    std::size_t at = packed->slope_slices[i / 32] + i % 32;
    for (const SlopeRows& group : slopes) {
      std::vector<Slope> row;
      for (bool ended = false; !ended; at += 32) {
        ASSERT_LT(at, packed->slope_slices[i / 32 + 1]);
        const glm::uvec2 words = packed->slopes[at];
        const glm::vec3 gradient = shared::slope_gradient(words);
        if (gradient != glm::vec3(0)) row.push_back({shared::slope_slot(words), gradient});
        ended = shared::slope_ends_group(words);
      }
      ASSERT_EQ(row.size(), group.row(i).size()) << i;
      for (std::size_t k = 0; k < row.size(); ++k) expect_near(row[k], group.row(i)[k]);
    }
  }
}

// Two groups with local points: the first has no share in every fifth row, the second is alone there.
struct WithPoints {
  Sample sample;
  std::vector<SparseRows> groups{2};
  std::vector<std::vector<glm::vec4>> points{2};

  explicit WithPoints(std::size_t count) : sample(make_sample(count)) {
    for (std::size_t i = 0; i < count; ++i) {
      const float share = i % 5 == 0 ? 0.0f : 0.25f;
      groups[0].append_row(share == 0 ? std::span<const Influence>() : sample.rows.row(i));
      groups[1].append_row(sample.rows.row(i).first(1));
      groups[1].influences.back().weight = 1;
      points[0].emplace_back(static_cast<float>(i), 3, 4, share);
      points[1].emplace_back(5, static_cast<float>(i), 7, 1 - share);
    }
  }
  PackedBinding packed(std::span<const std::uint32_t> order = {}) const {
    Result<PackedBinding> result = pack(groups, sample.rest(), order, {}, points);
    EXPECT_TRUE(result) << result.error().message;
    return *result;
  }
};

TEST_P(PackSizes, LocalPointsFollowTheirRows) {
  const WithPoints with(GetParam());
  for (const bool sorted : {false, true}) {
    const std::vector<std::uint32_t> order = sorted ? by_length(with.groups) : std::vector<std::uint32_t>{};
    const PackedBinding packed = with.packed(order);
    const Result<void> valid = validate(packed, 50, Groups::kWithPoints, "sample");
    EXPECT_TRUE(valid) << valid.error().message;
    ASSERT_EQ(packed.local_points.size(), 2 * GetParam());
    const SparseRows back = unpack_rows(packed);
    for (std::size_t r = 0; r < GetParam(); ++r) {
      const std::size_t source = sorted ? order[r] : r;
      EXPECT_EQ(packed.points[r], with.sample.positions[source]);
      EXPECT_EQ(packed.local_points[r], with.points[0][source]);
      EXPECT_EQ(packed.local_points[GetParam() + r], with.points[1][source]);
      // A group without a share has an influence in the stream, but none that counts.
      ASSERT_EQ(back.row(r).size(), with.groups[0].row(source).size() + 1);
      EXPECT_EQ(back.row(r).back().index, with.groups[1].row(source)[0].index);
      EXPECT_NEAR(back.row(r).back().weight, with.points[1][source].w, 1e-6f);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PackSizes, testing::Values(0, 1, 31, 32, 33, 63, 64, 65, 1234, 5000));

TEST(Pack, LengthOrderWastesLittle) {
  const Sample sample = make_sample(5000);
  const PackedBinding as_is = *pack({&sample.rows, 1}, sample.rest(), {});
  const PackedBinding sorted = *pack({&sample.rows, 1}, sample.rest(), by_length({&sample.rows, 1}));
  EXPECT_LT(static_cast<double>(sorted.influences.size()), 1.05 * static_cast<double>(sample.rows.influences.size()));
  EXPECT_LT(sorted.influences.size(), as_is.influences.size());
}

TEST(Pack, LengthOrderKeepsWhatIsNearInTheOrderGiven) {
  const Sample sample = make_sample(10000);
  std::vector<std::uint32_t> backwards(10000);
  std::iota(backwards.rbegin(), backwards.rend(), 0u);
  std::vector<std::uint32_t> order = backwards;
  order_by_row_length({&sample.rows, 1}, {}, order);
  for (std::size_t r = 0; r < order.size(); ++r) EXPECT_EQ((9999 - order[r]) / 4096, r / 4096);
  for (std::size_t r = 1; r < order.size(); ++r) {
    const bool same_length = sample.rows.row(order[r]).size() == sample.rows.row(order[r - 1]).size();
    if (same_length && r % 4096 != 0) {
      EXPECT_LT(order[r], order[r - 1]);
    }
  }
}

TEST(Pack, LengthOrderPutsSlopesTogether) {
  const Sample sample = make_sample(5000);
  const SlopeRows slopes = make_slopes(5000);
  const std::span<const SparseRows> rows(&sample.rows, 1);
  const std::span<const SlopeRows> group(&slopes, 1);
  const PackedBinding without = *pack(rows, sample.rest(), by_length(rows), group);
  const PackedBinding with = *pack(rows, sample.rest(), by_length(rows, group), group);
  EXPECT_EQ(with.influences.size(), without.influences.size());
  EXPECT_LT(static_cast<double>(with.slopes.size()), 1.5 * static_cast<double>(slopes.slopes.size()));
  EXPECT_GT(static_cast<double>(without.slopes.size()), 3 * static_cast<double>(slopes.slopes.size()));
}

TEST(Pack, WhereNoSlopeIsLeftThereIsNoStream) {
  const Sample sample = make_sample(40);
  SlopeRows slopes;
  for (int i = 0; i < 40; ++i) slopes.append_row({});
  for (const SlopeRows& none : {slopes, SlopeRows{}}) {
    const PackedBinding packed = *pack({&sample.rows, 1}, sample.rest(), {}, {&none, 1});
    EXPECT_TRUE(packed.slope_slices.empty());
    EXPECT_EQ(unpack_slopes(packed), SlopeRows{});
  }
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

TEST(Pack, RefusesSlopes) {
  const Sample sample = make_sample(3);
  const auto refuses = [&](std::uint32_t slot, glm::vec3 gradient, std::size_t rows = 3) {
    SlopeRows slopes;
    const Slope slope{slot, gradient};
    for (std::size_t i = 0; i < rows; ++i) slopes.append_row({&slope, 1});
    return !pack({&sample.rows, 1}, sample.rest(), {}, {&slopes, 1});
  };
  EXPECT_FALSE(refuses(0xFFFE, glm::vec3(1)));
  EXPECT_TRUE(refuses(0xFFFF, glm::vec3(1))) << "the next entry does not fit 16 bits";
  EXPECT_TRUE(refuses(0xFFFFFFFF, glm::vec3(1)));
  EXPECT_TRUE(refuses(0, glm::vec3(1), 2)) << "of other rows";
  EXPECT_TRUE(refuses(0, glm::vec3(0, std::numeric_limits<float>::infinity(), 0)));
  EXPECT_TRUE(refuses(0, glm::vec3(0, std::numeric_limits<float>::quiet_NaN(), 0)));
  EXPECT_TRUE(refuses(0, glm::vec3(0, 0, 8.1e9f)));
  EXPECT_FALSE(refuses(0, glm::vec3(0, 0, 7.9e9f)));
}

TEST(Pack, RefusesLocalPoints) {
  const WithPoints good(3);
  const auto error = [&](const auto& change) {
    WithPoints bad = good;
    std::vector<SlopeRows> slopes;
    change(bad, slopes);
    const Result<PackedBinding> packed = pack(bad.groups, bad.sample.rest(), {}, slopes, bad.points);
    return packed ? "packed" : packed.error().message;
  };
  EXPECT_EQ(error([](WithPoints&, auto&) {}), "packed");
  EXPECT_EQ(error([](WithPoints& w, auto&) { w.points[1].pop_back(); }), "pack: 3 rows, but 2 local points");
  EXPECT_EQ(error([](WithPoints& w, auto&) {
              for (int i = 0; i < 7; ++i) {
                w.groups.push_back(w.groups[1]);
                w.points.push_back(w.points[1]);
              }
            }),
            "9 groups of influences with local points; a mesh can have 8");
  EXPECT_EQ(error([](WithPoints& w, auto&) {
              for (SparseRows& rows : w.groups) {
                rows = {};
                for (int i = 0; i < 3; ++i) rows.append_row({});
              }
            }),
            "row 0 names no palette entry");
  EXPECT_EQ(error([](WithPoints& w, auto&) { w.points[0][0].w = 0.5f; }), "row 0 names no palette entry");
  const Slope slope{0, glm::vec3(1)};
  const auto slopes_in = [&](std::size_t group) {
    return error([&](WithPoints&, std::vector<SlopeRows>& slopes) {
      slopes.resize(2);
      for (int i = 0; i < 3; ++i) slopes[group].append_row({&slope, 1});
    });
  };
  EXPECT_EQ(slopes_in(0), "packed");
  EXPECT_EQ(slopes_in(1), "pack: slopes of another group than the first of those with points");
}

TEST(Pack, ValidationFindsEveryFaultOfLocalPoints) {
  const PackedBinding good = WithPoints(65).packed();
  ASSERT_TRUE(validate(good, 50, Groups::kWithPoints, "good"));
  EXPECT_FALSE(validate(good, 50, Groups::kSeveral, "good")) << "nothing reads them";
  const auto error = [&](const auto& change) {
    PackedBinding bad = good;
    change(bad);
    const Result<void> valid = validate(bad, 50, Groups::kWithPoints, "bad");
    return valid ? "valid" : valid.error().message;
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error([](PackedBinding& b) { b.local_points.clear(); }), "bad: 0 local points for 65 vertices");
  EXPECT_EQ(error([](PackedBinding& b) { b.local_points.pop_back(); }), "bad: 129 local points for 65 vertices");
  EXPECT_EQ(error([](PackedBinding& b) { b.local_points.resize(9 * 65); }), "bad: 585 local points for 65 vertices");
  EXPECT_EQ(error([](PackedBinding& b) { b.local_points.resize(3 * 65, glm::vec4(0)); }),
            "bad: row 0 holds 2 groups, but has 3 local points");
  EXPECT_EQ(error([](PackedBinding& b) {
              b.local_points.resize(65);
              for (glm::vec4& point : b.local_points) point.w = 1;
            }),
            "bad: row 0 holds 2 groups, but has 1 local points");
  EXPECT_EQ(error([](PackedBinding& b) { b.local_points[70].y = kNan; }),
            "bad: a local point of row 5 is not finite, or beyond 1e+12");
  EXPECT_EQ(error([](PackedBinding& b) { b.local_points[70].w = kNan; }), "bad: a share of row 5 is nan");
  EXPECT_EQ(error([](PackedBinding& b) {
              b.local_points[5].w = 101;
              b.local_points[70].w = -100;
            }),
            "bad: a share of row 5 is 101");
  EXPECT_EQ(error([](PackedBinding& b) { b.local_points[70].w = 0.5f; }), "bad: the shares of row 5 sum to 0.5, not 1");
  EXPECT_EQ(error([](PackedBinding& b) { b.influences[3] ^= 0x10000u; }),
            "bad: the weights of row 3 do not sum to 65535");
  PackedBinding empty = WithPoints(0).packed();
  EXPECT_TRUE(validate(empty, 50, Groups::kWithPoints, "empty"));
  empty.local_points.resize(1);
  EXPECT_FALSE(validate(empty, 50, Groups::kWithPoints, "empty"));
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

TEST(Pack, ValidationFindsEveryFaultOfSlopes) {
  const Sample sample = make_sample(67);
  const SlopeRows slopes = make_slopes(67);
  const PackedBinding good = *pack({&sample.rows, 1}, sample.rest(), {}, {&slopes, 1});
  const SparseRows twice[] = {sample.rows, sample.rows};
  const SlopeRows twice_slopes[] = {slopes, SlopeRows{}};
  const PackedBinding several = *pack(twice, sample.rest(), {}, twice_slopes);
  ASSERT_TRUE(validate(good, 50, Groups::kOne, "good"));
  ASSERT_TRUE(validate(several, 50, Groups::kSeveral, "several"));
  const auto breaks = [&](const auto& change, Groups groups = Groups::kOne) {
    PackedBinding bad = groups == Groups::kOne ? good : several;
    change(bad);
    return !validate(bad, 50, groups, "bad");
  };
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slope_slices.clear(); }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slope_slices.pop_back(); }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slope_slices[0] = 32; }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slope_slices[1] += 1; }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slope_slices[1] = 0xFFFFFFE0u; }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slopes.pop_back(); }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slopes.clear(); }));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slopes[3].x = (b.slopes[3].x & 0xFFFF0000u) | 49u; }))
      << "the next entry is past the palette";
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slopes[3].x |= 0x80000000u; })) << "ends a group where there is one";
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slopes[3].x ^= 0x80000000u; }, Groups::kSeveral));
  EXPECT_TRUE(breaks([](PackedBinding& b) { b.slopes.back().x |= 0x80000000u; }, Groups::kSeveral))
      << "of a row past the end";
}

}  // namespace
}  // namespace pelt
