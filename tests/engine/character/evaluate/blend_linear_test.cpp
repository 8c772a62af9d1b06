// SPDX-License-Identifier: MIT
// Cases of linear blends only: mirrors, gradients of weights, and the remainder when influences cancel out.
#include "engine/character/evaluate/blend.h"
#include "tests/engine/character/evaluate/every_target.h"
#include "tests/engine/character/evaluate/exact_sample.h"

namespace pelt {
namespace {

using glm::dmat3;
using glm::dvec3;

class BlendLinear : public EveryTarget {};

TEST_P(BlendLinear, WithGradientsIsTheEquationForEverySizeAndInfluenceCount) {
  const std::vector<Affine> palette = make_palette(false);
  for (const std::vector<std::size_t>& lengths : {lengths_to(3), lengths_to(9), lengths_to(kElements)}) {
    for (const std::size_t count : kSizes) {
      SCOPED_TRACE(count);
      const ExactSample sample = make_exact_sample(count, lengths, true);
      const Outputs actual = linear(sample, palette);
      for (std::size_t row = 0; row < count; ++row) {
        expect_near(actual, row, expected_linear(sample, row, palette), sample);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// A table of frames along a circular arc, which also turn about it, and a tube of changing width round it.
struct BentTube {
  static constexpr double kLength = 3;
  static constexpr int kSamples = 47;
  static constexpr double kSpacing = kLength / kSamples;

  double arc;    // radius of the arc
  double twist;  // radians per metre

  // Returns the palette entry of sample k: T_k = M_k^D (M_k^R)^-1.
  Affine entry(int k) const {
    const double s = k * kSpacing;
    const double angle = s / arc;
    const dmat3 bend = glm::mat3_cast(glm::angleAxis(angle, dvec3(0, 0, 1)));
    const dmat3 axes = bend * glm::mat3_cast(glm::angleAxis(twist * s, dvec3(1, 0, 0)));
    const dvec3 centre = arc * dvec3(std::sin(angle), 1 - std::cos(angle), 0);
    return affine_of(axes, centre - axes * dvec3(s, 0, 0));
  }
  std::vector<Affine> table() const {
    std::vector<Affine> entries;
    for (int k = 0; k <= kSamples; ++k) entries.push_back(entry(k));
    return entries;
  }

  static dvec3 rest(double s, double u) {
    const double radius = 0.5 + 0.2 * std::sin(4 * s);
    return {s, radius * std::cos(u), radius * std::sin(u)};
  }
};

// Returns the tube's point moved by the equation with the two palette entries around it.
dvec3 posed_tube(double s, double u, std::span<const Affine> table) {
  const double at = s / BentTube::kSpacing;
  const auto k = static_cast<std::size_t>(at);
  const double f = at - static_cast<double>(k);
  const auto by = [&](const Affine& frame) { return axes_of(frame) * BentTube::rest(s, u) + origin_of(frame); };
  return (1 - f) * by(table[k]) + f * by(table[k + 1]);
}

// Normals and tangents of a surface by finite differences.
struct SurfaceDirections {
  dvec3 normal;
  dvec3 tangent;
};
template <class Surface>
SurfaceDirections directions_of(double s, double u, const Surface& surface) {
  constexpr double kStep = 1e-5;
  const dvec3 along = surface(s + kStep, u) - surface(s - kStep, u);
  const dvec3 around = surface(s, u + kStep) - surface(s, u - kStep);
  return {glm::normalize(glm::cross(around, along)), glm::normalize(along)};
}

// Points of the tube in the rest pose and moved by `posed`; rows over a table whose first palette entry is 0.
struct TubeSample {
  template <class Posed>
  explicit TubeSample(const Posed& posed) {
    std::mt19937 random(8);
    std::uniform_real_distribution<double> unit(0.01, 0.99);
    for (int i = 0; i < 2000; ++i) {
      const auto k = static_cast<std::uint32_t>(i % BentTube::kSamples);
      const double f = unit(random);
      const double s = (k + f) * BentTube::kSpacing;
      const double u = 6.3 * unit(random);
      const dvec3 passing(1 / BentTube::kSpacing, 0, 0);
      const WeightedElement row[] = {{k, 1 - f, -passing}, {k + 1, f, passing}};
      append_row(rows, row, Gradients::kKnown);
      positions.emplace_back(BentTube::rest(s, u));
      const SurfaceDirections rest = directions_of(s, u, BentTube::rest);
      normals.emplace_back(rest.normal);
      tangents.emplace_back(glm::vec3(rest.tangent), 1.0f);
      expected.push_back(directions_of(s, u, posed));
    }
  }

  // Returns the largest angle of normals and tangents from the expected ones.
  double worst_degrees(const Outputs& actual) const {
    double worst = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      worst = std::max(worst, glm::distance(dvec3(actual.normals[i]), expected[i].normal));
      worst = std::max(worst, glm::distance(dvec3(glm::vec3(actual.tangents[i])), expected[i].tangent));
    }
    return glm::degrees(worst);
  }

  SparseRows rows;
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec4> tangents;
  std::vector<SurfaceDirections> expected;
};

// There are two tables on one skin, and a group between them without gradients.
TEST(BlendWires, NormalsRoundTablesAreThoseOfTheSurface) {
  constexpr std::uint32_t kEntries = BentTube::kSamples + 1;
  constexpr float kExponent = 2;
  const std::vector<Affine> first = BentTube{1.5, 0.4}.table();
  const std::vector<Affine> second = BentTube{-2.5, -0.8}.table();
  const Affine middle = affine_of(glm::mat3_cast(glm::angleAxis(0.4, dvec3(0, 0.6, 0.8))), dvec3(0.1, -0.3, 0.5));
  const Affine root = affine_of(glm::mat3_cast(glm::angleAxis(-0.3, dvec3(1, 0, 0))), dvec3(0, 0.2, 0));
  // The expected position is v' = G P + sum |D_i|^m D_i / sum |D_i|^m.
  const TubeSample tube([&](double s, double u) {
    const auto by = [&](const Affine& frame) { return axes_of(frame) * BentTube::rest(s, u) + origin_of(frame); };
    const dvec3 moves[] = {posed_tube(s, u, first) - by(root), by(middle) - by(root),
                           posed_tube(s, u, second) - by(root)};
    dvec3 sum(0);
    double shares = 0;
    for (const dvec3& move : moves) {
      const double share = std::pow(glm::length(move), kExponent);
      sum += share * move;
      shares += share;
    }
    return by(root) + sum / shares;
  });

  std::vector<Affine> palette = first;
  palette.push_back(middle);
  palette.insert(palette.end(), second.begin(), second.end());
  SparseRows groups[] = {tube.rows, {}, tube.rows};
  const Influence alone{kEntries, 1.0f};
  for (std::size_t i = 0; i < tube.positions.size(); ++i) groups[1].append_row({&alone, 1});
  for (Influence& influence : groups[2].influences) influence.index += kEntries + 1;
  const auto worst_degrees = [&] {
    const PackedBinding binding = *pack(groups, {tube.positions, tube.normals, tube.tangents}, {});
    EXPECT_TRUE(validate(binding, palette.size(), Groups::kSeveral, "tube"));
    Outputs actual(tube.positions.size());
    blend_wires(binding, rest_shape(binding), {0, slice_count(binding)}, palette, {root, kExponent}, actual.all());
    return tube.worst_degrees(actual);
  };
  // If the groups pull apart, the surface nearly folds, which magnifies the rounding to 8 bits.
  EXPECT_LT(worst_degrees(), 3);
  for (SparseRows& rows : groups) rows.gradients.clear();
  EXPECT_GT(worst_degrees(), 5) << "the gradients are not needed";
}

// A float overflows at squares of 1e12 per metre, multiplied by a vertex's movement.
TEST_P(BlendLinear, SteepGradientsLeavePositionsAndUnitDirections) {
  std::vector<Affine> palette = make_palette(false);
  for (std::size_t i = 0; i < palette.size(); i += 2) palette[i] *= 1e15f;
  ExactSample sample = make_exact_sample(65, lengths_to(3), true);
  for (float& unit : sample.binding.gradient_units) unit = 1e12f;
  const Outputs actual = linear(sample, palette);
  for (std::size_t row = 0; row < 65; ++row) {
    for (int c = 0; c < 3; ++c) ASSERT_TRUE(std::isfinite(actual.positions[row][c]));
    ASSERT_NEAR(glm::length(actual.normals[row]), 1, 1e-5) << row;
    ASSERT_NEAR(glm::length(glm::vec3(actual.tangents[row])), 1, 1e-5) << row;
  }
}

// Three turns by 120 degrees in equal shares blend to a line: the result is the rest directions turned by the strongest
// influence, the first among equals.
TEST_P(BlendLinear, WhereNothingIsLeftTheStrongestInfluenceTurnsTheRestDirections) {
  std::vector<Affine> palette;
  for (int third = 0; third < 3; ++third) {
    const double angle = third * 2.0943951023931953;
    palette.push_back(affine_of(glm::mat3_cast(glm::angleAxis(angle, dvec3(1, 0, 0))), dvec3(0)));
  }
  ExactSample sample;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec4> tangents;
  for (std::uint32_t row = 0; row < 40; ++row) {
    const std::uint32_t first = row % 3;
    const float weight = 1.0f / 3;
    sample.rows.append_row(
        std::vector<Influence>{{first, weight}, {(first + 1) % 3, weight}, {(first + 2) % 3, weight}});
    sample.positions.emplace_back(row, 1, 0);
    normals.emplace_back(0, 1, 0);
    tangents.emplace_back(0, 0, 1, -1);
  }
  sample.binding = *pack({&sample.rows, 1}, {sample.positions, normals, tangents}, {});
  const Outputs actual = linear(sample, palette);
  for (std::uint32_t row = 0; row < 40; ++row) {
    EXPECT_LT(glm::distance(actual.positions[row], glm::vec3(row, 0, 0)), 1e-5f) << row;
    EXPECT_LT(glm::distance(actual.normals[row], transform_vector(palette[row % 3], {0, 1, 0})), 1e-4f) << row;
    EXPECT_LT(glm::distance(glm::vec3(actual.tangents[row]), transform_vector(palette[row % 3], {0, 0, 1})), 1e-4f);
    EXPECT_EQ(actual.tangents[row].w, -1) << row;
  }
}

// Packed for either hand, a tangent along -x has the first coordinate -32768, which means -1.
TEST_P(BlendLinear, TangentsAlongMinusXStayExact) {
  const std::vector<Affine> palette{affine_of(glm::mat3_cast(glm::angleAxis(0.7, dvec3(0.6, 0, 0.8))), dvec3(0))};
  ExactSample sample;
  std::vector<glm::vec4> tangents;
  for (std::uint32_t row = 0; row < 40; ++row) {
    sample.rows.append_row(std::vector<Influence>{{0, 1}});
    sample.positions.emplace_back(row, 1, 0);
    tangents.emplace_back(-1, 0, 0, row % 2 == 0 ? 1 : -1);
  }
  const std::vector<glm::vec3> normals(tangents.size(), glm::vec3(0, 1, 0));
  sample.binding = *pack({&sample.rows, 1}, {sample.positions, normals, tangents}, {});
  const Outputs actual = linear(sample, palette);
  const glm::vec3 expected = transform_vector(palette[0], {-1, 0, 0});
  for (std::uint32_t row = 0; row < 40; ++row) {
    EXPECT_LT(glm::distance(glm::vec3(actual.tangents[row]), expected), kDirectionTolerance) << row;
    EXPECT_EQ(actual.tangents[row].w, tangents[row].w) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, BlendLinear, testing::ValuesIn(targets_of_kernels()), target_name);

}  // namespace
}  // namespace pelt
