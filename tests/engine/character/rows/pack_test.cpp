// SPDX-License-Identifier: MIT
#include <limits>
#include <numeric>
#include <random>

#include <pelt/pack.h>

#include "shaders/blend/blend.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

struct Sample {
  SparseRows rows;
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;

  RestGeometry rest() const { return {positions, normals, {}}; }
};

// Makes rows of 1 to 9 influences over 50 palette entries.
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

std::vector<std::uint32_t> by_length(std::span<const SparseRows> groups) {
  std::vector<std::uint32_t> order(groups[0].row_count());
  std::iota(order.begin(), order.end(), 0u);
  order_by_row_length(groups, order);
  return order;
}

class PackSizes : public testing::TestWithParam<std::size_t> {};

TEST_P(PackSizes, RoundTripsAndIsValid) {
  const Sample sample = make_sample(GetParam());
  for (const bool sorted : {false, true}) {
    const std::vector<std::uint32_t> order = sorted ? by_length({&sample.rows, 1}) : std::vector<std::uint32_t>{};
    const PackedBinding packed = test::must(pack({&sample.rows, 1}, sample.rest(), order));
    ASSERT_EQ(packed.vertex_count(), GetParam());
    test::must(validate(packed, 50, Groups::kOne, "sample"));
    const SparseRows back = unpack_rows(packed);
    ASSERT_EQ(back.row_count(), GetParam());
    for (std::size_t r = 0; r < GetParam(); ++r) {
      const std::size_t source = order.empty() ? r : order[r];
      EXPECT_EQ(packed.points[r], sample.positions[source]);
      EXPECT_GT(glm::dot(shared::unpack_normal(packed.directions[r].x), sample.normals[source]), 0.999999f);
      ASSERT_EQ(back.row(r).size(), sample.rows.row(source).size());
      for (std::size_t k = 0; k < back.row(r).size(); ++k) {
        EXPECT_EQ(back.row(r)[k].index, sample.rows.row(source)[k].index);
        EXPECT_NEAR(back.row(r)[k].weight, sample.rows.row(source)[k].weight, 1.6 / 65535);
      }
    }
  }
}

// Two groups with local points: in every fifth row the first has weight 0, so the second is the only one.
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
    return test::must(pack(groups, sample.rest(), order, points));
  }
};

// Adds gradients to every third row; they sum to 0 up to rounding.
void add_gradients(SparseRows& rows) {
  std::mt19937 random(9);
  std::uniform_real_distribution<float> unit(-1, 1);
  rows.gradients.assign(rows.influences.size(), glm::vec3(0.0f));
  for (std::size_t i = 0; i < rows.row_count(); i += 3) {
    const std::uint32_t first = rows.offsets[i];
    for (std::uint32_t k = first + 1; k < rows.offsets[i + 1]; ++k) {
      rows.gradients[k] = 3.0f * glm::vec3(unit(random), unit(random), unit(random));
      rows.gradients[first] -= rows.gradients[k];
    }
  }
}

// Checks the gradients of a row's words from `at` on, one for each source influence: along the surface, within one unit
// of the slice.
void expect_gradients(const PackedBinding& packed, std::size_t row, std::size_t at,
                      std::span<const glm::vec3> expected) {
  const glm::vec3 normal = shared::unpack_normal(packed.directions[row].x);
  const float unit = packed.gradient_units[row / 32];
  for (const glm::vec3& gradient : expected) {
    const glm::vec3 along = gradient - normal * glm::dot(normal, gradient);
    ASSERT_LE(glm::distance(unpack_gradient(packed, row, at), along), 1.6f * unit) << "row " << row;
    at += 32;
  }
}

TEST_P(PackSizes, GradientsRoundTripAndAreValid) {
  Sample sample = make_sample(GetParam());
  const PackedBinding without = *pack({&sample.rows, 1}, sample.rest(), {});
  EXPECT_TRUE(without.gradients.empty());
  add_gradients(sample.rows);
  for (const bool sorted : {false, true}) {
    const std::vector<std::uint32_t> order = sorted ? by_length({&sample.rows, 1}) : std::vector<std::uint32_t>{};
    const PackedBinding packed = test::must(pack({&sample.rows, 1}, sample.rest(), order));
    test::must(validate(packed, 50, Groups::kOne, "sample"));
    for (std::size_t r = 0; r < GetParam() && !packed.gradients.empty(); ++r) {
      expect_gradients(packed, r, packed.slices[r / 32] + r % 32, sample.rows.row_gradients(sorted ? order[r] : r));
      if (HasFatalFailure()) return;
    }
    if (sorted) continue;
    EXPECT_EQ(packed.influences, without.influences);
    EXPECT_EQ(packed.points, without.points);
  }
}

// The gradients of each group sum to 0; with local points those of all groups together do.
TEST(Pack, GradientsOfGroupsSumToZero) {
  Sample sample = make_sample(65);
  add_gradients(sample.rows);
  const SparseRows apart[] = {sample.rows, sample.rows};
  EXPECT_TRUE(validate(*pack(apart, sample.rest(), {}), 50, Groups::kSeveral, "apart"));
  WithPoints with(65);
  for (SparseRows& rows : with.groups) rows.gradients.assign(rows.influences.size(), glm::vec3(0.0f));
  for (std::size_t i = 1; i < 65; ++i) {
    if (i % 5 == 0) continue;
    with.groups[0].gradients[with.groups[0].offsets[i]] = glm::vec3(1, 2, 3);
    with.groups[1].gradients[with.groups[1].offsets[i]] = glm::vec3(-1, -2, -3);
  }
  const PackedBinding together = with.packed();
  EXPECT_TRUE(validate(together, 50, Groups::kWithPoints, "together"));
  EXPECT_NE(unpack_gradient(together, 1, together.slices[0] + 1), glm::vec3(0.0f));
}

// If a component of the normal is on the border between two bases, every kernel takes the same one.
TEST(Pack, TangentBasesAreOrthonormalAndDecidedByWholeNumbers) {
  for (const glm::vec3& n :
       {glm::vec3(0.6f, 0.8f, 0), glm::vec3(-0.6f, 0.8f, 0), glm::vec3(0.6f, 0, 0.8f), glm::vec3(-0.6f, 0, -0.8f),
        glm::vec3(1, 0, 0), glm::vec3(0, -1, 0), glm::vec3(0, 0, -1), glm::normalize(glm::vec3(0.4f, 0.3f, -0.3f))}) {
    const std::uint32_t word = shared::pack_normal(n);
    const shared::TangentBasis basis = shared::tangent_basis(word);
    const glm::vec3 normal = shared::unpack_normal(word);
    EXPECT_NEAR(glm::length(basis.e), 1, 1e-6f);
    EXPECT_LT(glm::distance(glm::cross(basis.e, basis.f), normal), 1e-6f);
    EXPECT_NEAR(glm::dot(basis.e, normal), 0, 1e-6f);
  }
}

// An influence of weight 0 with a gradient stays, in its group.
TEST(Pack, WhatHasAGradientAndNoWeightStays) {
  SparseRows rows;
  const Influence row[] = {{3, 1.0f}, {4, 0.0f}, {5, 0.0f}};
  const glm::vec3 gradients[] = {{-2, 0, 0}, {2, 0, 0}, {0, 0, 0}};
  rows.append_row(row, gradients);
  const std::vector<glm::vec3> position{{0, 0, 0}}, normal{{0, 0, 1}};
  const PackedBinding one = *pack({&rows, 1}, {position, normal, {}}, {});
  EXPECT_EQ(one.slices[1], 64u);
  EXPECT_EQ(one.influences[0], 3u | 65535u << 16u);
  EXPECT_EQ(one.influences[32], 4u);
  EXPECT_NEAR(unpack_gradient(one, 0, 32).x, 2, 0.02f);
  const SparseRows twice[] = {rows, rows};
  const PackedBinding two = *pack(twice, {position, normal, {}}, {});
  EXPECT_EQ(two.influences[0], 3u | 65534u << 16u);
  EXPECT_EQ(two.influences[32], 4u | 1u << 16u);
  EXPECT_TRUE(validate(two, 50, Groups::kSeveral, "two"));
}

TEST_P(PackSizes, LocalPointsFollowTheirRows) {
  const WithPoints with(GetParam());
  for (const bool sorted : {false, true}) {
    const std::vector<std::uint32_t> order = sorted ? by_length(with.groups) : std::vector<std::uint32_t>{};
    const PackedBinding packed = with.packed(order);
    test::must(validate(packed, 50, Groups::kWithPoints, "sample"));
    ASSERT_EQ(packed.local_points.size(), 2 * GetParam());
    const SparseRows back = unpack_rows(packed);
    for (std::size_t r = 0; r < GetParam(); ++r) {
      const std::size_t source = sorted ? order[r] : r;
      EXPECT_EQ(packed.points[r], with.sample.positions[source]);
      EXPECT_EQ(packed.local_points[r], with.points[0][source]);
      EXPECT_EQ(packed.local_points[GetParam() + r], with.points[1][source]);
      // A group without a share has an influence in the stream, but it does not count.
      ASSERT_EQ(back.row(r).size(), with.groups[0].row(source).size() + 1);
      EXPECT_EQ(back.row(r).back().index, with.groups[1].row(source)[0].index);
      EXPECT_NEAR(back.row(r).back().weight, with.points[1][source].w, 1e-6f);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PackSizes, testing::Values(0, 1, 31, 32, 33, 63, 64, 65, 1234, 5000));

// Shaders read rows of one group in whole batches.
TEST(Pack, RowsOfOneGroupFillBatches) {
  const std::vector<glm::vec3> position{{0, 0, 0}}, normal{{0, 0, 1}};
  const std::uint32_t expected[] = {2, 2, 4, 4, 8, 8, 8, 8, 12};
  for (std::size_t length = 1; length <= 9; ++length) {
    const std::vector<Influence> row(length, Influence{3, 1.0f});
    SparseRows rows;
    rows.append_row(row);
    EXPECT_EQ((*pack({&rows, 1}, {position, normal, {}}, {})).slices[1], 32 * expected[length - 1]) << length;
    const SparseRows twice[] = {rows, rows};
    EXPECT_EQ((*pack(twice, {position, normal, {}}, {})).slices[1], 64 * length) << length;
  }
}

TEST(Pack, LengthOrderKeepsWhatIsNearInTheOrderGiven) {
  const Sample sample = make_sample(10000);
  std::vector<std::uint32_t> backwards(10000);
  std::iota(backwards.rbegin(), backwards.rend(), 0u);
  std::vector<std::uint32_t> order = backwards;
  order_by_row_length({&sample.rows, 1}, order);
  const auto length = [&](std::uint32_t row) { return sample.rows.row(row).size(); };
  const auto middle = std::ranges::find_if(order, [&](std::uint32_t row) { return length(row) > kShortRow; });
  EXPECT_TRUE(std::all_of(middle, order.end(), [&](std::uint32_t row) { return length(row) > kShortRow; }));
  for (std::span<std::uint32_t> part : {std::span(order.begin(), middle), std::span(middle, order.end())}) {
    ASSERT_GT(part.size(), 4096u);
    std::vector<std::uint32_t> before(part.begin(), part.end());
    std::ranges::sort(before, std::greater());
    for (std::size_t r = 0; r < part.size(); ++r) {
      const std::size_t window = r / 4096 * 4096;
      EXPECT_LE(part[r], before[window]);
      EXPECT_TRUE(window + 4096 >= part.size() || part[r] > before[window + 4096]);
      EXPECT_TRUE(r == window || length(part[r]) != length(part[r - 1]) || part[r] < part[r - 1]);
      EXPECT_TRUE(r == window || length(part[r]) <= length(part[r - 1]));
    }
  }
}

TEST(Pack, RowsWithGradientsComeLast) {
  Sample sample = make_sample(200);
  sample.rows.gradients.assign(sample.rows.influences.size(), glm::vec3(0.0f));
  std::size_t flat = 0, steep = 0;
  for (std::size_t v = 0; v < 200; ++v) {
    const std::size_t first = sample.rows.offsets[v];
    if (v % 3 == 0 && sample.rows.row(v).size() > 1) {
      sample.rows.gradients[first] = glm::cross(sample.normals[v], glm::vec3(1, 0, 0));
      sample.rows.gradients[first + 1] = -sample.rows.gradients[first];
      ++steep;
    } else if (sample.rows.row(v).size() <= kShortRow) {
      ++flat;
    }
  }
  ASSERT_GT(flat, 32u);
  const PackedBinding packed = test::must(pack({&sample.rows, 1}, sample.rest(), by_length({&sample.rows, 1})));
  for (std::size_t s = 0; s < flat / 32; ++s) EXPECT_EQ(packed.gradient_units[s], 0) << s;
  const auto gradients = std::ranges::count_if(packed.gradient_units, [](float unit) { return unit > 0; });
  EXPECT_LE(gradients, steep / 32 + 2) << "with long rows without gradients";
  EXPECT_GT(packed.gradient_units.back(), 0);
}

TEST(Pack, WhereNoWeightChangesThereIsNoStream) {
  Sample sample = make_sample(40);
  sample.rows.gradients.assign(sample.rows.influences.size(), glm::vec3(0.0f));
  const PackedBinding packed = *pack({&sample.rows, 1}, sample.rest(), {});
  EXPECT_TRUE(packed.gradients.empty());
  EXPECT_TRUE(packed.gradient_units.empty());
  EXPECT_EQ(unpack_gradient(packed, 3, 3), glm::vec3(0.0f));
}

TEST(Pack, EqualWeightsKeepTheirSum) {
  SparseRows rows;
  std::vector<WeightedElement> row;
  for (std::uint32_t k = 0; k < 4000; ++k) row.push_back({k, 1});
  append_row(rows, row);
  const std::vector<glm::vec3> one{{0, 0, 1}};
  const PackedBinding packed = test::must(pack({&rows, 1}, {one, one, {}}, {}));
  EXPECT_TRUE(validate(packed, 4000, Groups::kOne, "row"));
  const SparseRows back = unpack_rows(packed);
  ASSERT_GT(back.row(0).size(), 0u);
  for (const Influence& influence : back.row(0)) EXPECT_NEAR(influence.weight, 1.0 / 4000, 1.0 / 65535);
}

TEST(Pack, Refuses) {
  Sample sample = make_sample(3);
  EXPECT_FALSE(pack({&sample.rows, 1}, {}, {}));
  EXPECT_FALSE(pack({&sample.rows, 1}, sample.rest(), std::vector<std::uint32_t>{0, 1}));
  EXPECT_FALSE(pack({&sample.rows, 1}, sample.rest(), std::vector<std::uint32_t>{0, 1, 3}));
  SparseRows with_a_gradient = sample.rows;
  with_a_gradient.gradients = {glm::vec3(0)};
  EXPECT_FALSE(pack({&with_a_gradient, 1}, sample.rest(), {}));
  sample.rows.influences.front().index = 0x10000;
  EXPECT_TRUE(test::refused(pack({&sample.rows, 1}, sample.rest(), {}), ErrorCode::kUnsupported));
}

// They turn normals only, so none is worth a bind.
TEST(Pack, ScalesGradientsThatNoFileHoldsAndDropsThoseThatAreNotFinite) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<glm::vec3> position{{0, 0, 0}}, normal{{1, 0, 0}};
  // Returns the gradients of two influences that lose and gain the same, as they are stored.
  const auto packed = [&](const glm::vec3& gradient, std::size_t groups) {
    const Influence row[] = {{3, 0.5f}, {4, 0.5f}};
    const glm::vec3 gradients[] = {-gradient, gradient};
    SparseRows rows;
    rows.append_row(row, gradients);
    const PackedBinding result = test::must(pack(std::vector(groups, rows), {position, normal, {}}, {}));
    test::must(validate(result, 5, groups == 1 ? Groups::kOne : Groups::kSeveral, "packed"));
    return result;
  };
  for (const std::size_t groups : {1, 2}) {
    for (const float length : {0.9e12f, 1.1e12f, 3.3e13f, 1e30f, 3e38f}) {
      const PackedBinding binding = packed(glm::vec3(0, 0, length), groups);
      const float kept = std::min(length, 1e12f);
      EXPECT_NEAR(unpack_gradient(binding, 0, 0).z, -kept, 0.02f * kept) << length;
      EXPECT_NEAR(unpack_gradient(binding, 0, 32).z, kept, 0.02f * kept) << length;
    }
    for (const float value : {kInf, -kInf, std::numeric_limits<float>::quiet_NaN()}) {
      const PackedBinding binding = packed(glm::vec3(0, 1, value), groups);
      EXPECT_EQ(unpack_gradient(binding, 0, 0), glm::vec3(0));
      EXPECT_EQ(unpack_gradient(binding, 0, 32), glm::vec3(0));
    }
  }
}

TEST(Pack, RefusesLocalPoints) {
  const WithPoints good(3);
  const auto error = [&](const auto& change) {
    WithPoints bad = good;
    change(bad);
    return test::error_of(pack(bad.groups, bad.sample.rest(), {}, bad.points));
  };
  EXPECT_EQ(error([](WithPoints&) {}), "");
  EXPECT_EQ(error([](WithPoints& w) { w.points[1].pop_back(); }), "pack: 3 rows, but 2 local points");
  EXPECT_EQ(error([](WithPoints& w) {
              for (int i = 0; i < 7; ++i) {
                w.groups.push_back(w.groups[1]);
                w.points.push_back(w.points[1]);
              }
            }),
            "9 groups of influences with local points; a mesh can have at most 8");
  EXPECT_EQ(error([](WithPoints& w) {
              for (SparseRows& rows : w.groups) {
                rows = {};
                for (int i = 0; i < 3; ++i) rows.append_row({});
              }
            }),
            "row 0 names no palette entry");
  EXPECT_EQ(error([](WithPoints& w) { w.points[0][0].w = 0.5f; }), "row 0 names no palette entry");
}

TEST(Pack, ValidationFindsEveryFaultOfLocalPoints) {
  const PackedBinding good = WithPoints(65).packed();
  ASSERT_TRUE(validate(good, 50, Groups::kWithPoints, "good"));
  EXPECT_FALSE(validate(good, 50, Groups::kSeveral, "good")) << "nothing reads them";
  const auto error = [&](const auto& change) {
    PackedBinding bad = good;
    change(bad);
    return test::error_of(validate(bad, 50, Groups::kWithPoints, "bad"));
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error([](auto& b) { b.local_points.clear(); }), "bad: 0 local points for 65 vertices");
  EXPECT_EQ(error([](auto& b) { b.local_points.pop_back(); }), "bad: 129 local points for 65 vertices");
  EXPECT_EQ(error([](auto& b) { b.local_points.resize(9 * 65); }), "bad: 585 local points for 65 vertices");
  EXPECT_EQ(error([](auto& b) { b.local_points.resize(3 * 65, glm::vec4(0)); }),
            "bad: 195 local points for 65 vertices");
  EXPECT_EQ(error([](auto& b) {
              b.local_points.resize(65);
              for (glm::vec4& point : b.local_points) point.w = 1;
            }),
            "bad: row 0 holds 2 groups, but has 1 local points");
  EXPECT_EQ(error([](auto& b) { b.local_points[70].y = kNan; }),
            "bad: a local point of row 5 is not finite, or beyond 1e+12");
  EXPECT_EQ(error([](auto& b) { b.local_points[70].w = kNan; }), "bad: a share of row 5 is nan");
  EXPECT_EQ(error([](auto& b) { b.local_points[5].w = 101, b.local_points[70].w = -100; }),
            "bad: a share of row 5 is 101");
  EXPECT_EQ(error([](auto& b) { b.local_points[70].w = 0.5f; }), "bad: the shares of row 5 sum to 0.5, not 1");
  EXPECT_EQ(error([](auto& b) { b.influences[3] ^= 0x10000u; }), "bad: the weights of row 3 do not sum to 65535");
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
  EXPECT_TRUE(breaks([](auto& b) { b.directions.pop_back(); }));
  EXPECT_TRUE(breaks([](auto& b) { b.slices.pop_back(); }));
  EXPECT_TRUE(breaks([](auto& b) { b.slices.clear(); }));
  EXPECT_TRUE(breaks([](auto& b) { b.slices[0] = 32; }));
  EXPECT_TRUE(breaks([](auto& b) { b.slices[1] += 1; }));
  EXPECT_TRUE(breaks([](auto& b) { b.slices[1] = 0xFFFFFFE0u; }));
  EXPECT_TRUE(breaks([](auto& b) { b.influences.pop_back(); }));
  EXPECT_TRUE(breaks([](auto& b) { b.influences[3] += 1u << 16u; }));
  EXPECT_TRUE(breaks([](auto& b) { b.influences[3] = (b.influences[3] & 0xFFFF0000u) | 50u; }));
  EXPECT_TRUE(breaks([](auto& b) { b.influences.back() |= 0x10000u; })) << "a row past the end has weight";
  EXPECT_TRUE(breaks([](auto& b) { b.points[64].y = std::numeric_limits<float>::infinity(); }));
  const std::size_t padding = good.influences.size() - shared::kSliceRows;
  EXPECT_TRUE(std::all_of(good.influences.begin() + std::ptrdiff_t(padding), good.influences.end(),
                          [](std::uint32_t word) { return shared::influence_units(word) == 0; }));
  EXPECT_TRUE(breaks([&](PackedBinding& b) {
    b.influences.resize(padding), b.slices.back() = static_cast<std::uint32_t>(padding);
  })) << "rows that no shader may read in whole batches";
  EXPECT_FALSE(validate(PackedBinding{}, 1, Groups::kOne, "default")) << "the default has no slices";
}

// One invocation of a device loops over a row.
TEST(Pack, ValidationBoundsARow) {
  for (const std::size_t length : {std::size_t{65536}, std::size_t{65540}}) {
    const Sample sample = make_sample(1);
    PackedBinding packed = *pack({&sample.rows, 1}, sample.rest(), {});
    const std::uint32_t known = packed.influences[0] & 0xFFFFu;
    packed.influences.assign(length * shared::kSliceRows, known);
    packed.influences[0] |= shared::kWeightUnits << 16u;
    packed.slices[1] = static_cast<std::uint32_t>(packed.influences.size());
    EXPECT_EQ(test::error_of(validate(packed, 50, Groups::kOne, "long")),
              length == 65536 ? "" : "long: a row of slice 0 has 65540 influences, more than 65536");
  }
}

TEST(Pack, ValidationFindsEveryFaultOfGradients) {
  Sample sample = make_sample(67);
  add_gradients(sample.rows);
  const PackedBinding good = *pack({&sample.rows, 1}, sample.rest(), {});
  const SparseRows twice[] = {sample.rows, sample.rows};
  const PackedBinding several = *pack(twice, sample.rest(), {});
  ASSERT_TRUE(validate(good, 50, Groups::kOne, "good"));
  ASSERT_TRUE(validate(several, 50, Groups::kSeveral, "several"));
  const auto breaks = [&](const auto& change, Groups groups = Groups::kOne) {
    PackedBinding bad = groups == Groups::kOne ? good : several;
    change(bad);
    return !validate(bad, 50, groups, "bad");
  };
  EXPECT_TRUE(breaks([](auto& b) { b.gradients.clear(); }));
  EXPECT_TRUE(breaks([](auto& b) { b.gradients.pop_back(); }));
  EXPECT_TRUE(breaks([](auto& b) { b.gradient_units.clear(); }));
  EXPECT_TRUE(breaks([](auto& b) { b.gradient_units.pop_back(); }));
  EXPECT_TRUE(breaks([](auto& b) { b.gradient_units[1] = -1; }));
  EXPECT_TRUE(breaks([](auto& b) { b.gradient_units[1] = std::numeric_limits<float>::quiet_NaN(); }));
  EXPECT_TRUE(breaks([](auto& b) { b.gradient_units[1] = 2e12f; }));
  EXPECT_TRUE(breaks([](auto& b) { b.gradients[3] ^= 1u; })) << "they sum to 1";
  EXPECT_TRUE(breaks([](auto& b) { b.gradients[3] ^= 0x100u; }));
  // Row 0 gains in one group what it loses in the other.
  EXPECT_TRUE(breaks(
      [](auto& b) {
        const auto step = [&](std::size_t at, std::uint32_t to) { b.gradients[at / 2] = to; };
        step(0, 0x0001u);
        step(32 * ((b.slices[1] - b.slices[0]) / 32 - 1), 0x00FFu);
      },
      Groups::kSeveral));
}

}  // namespace
}  // namespace pelt
