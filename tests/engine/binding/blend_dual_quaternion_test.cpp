// SPDX-License-Identifier: MIT
// Compares blends of dual quaternions with the equation.
#include "tests/engine/binding/exact_sample.h"

namespace pelt {
namespace {

using glm::dmat3;
using glm::dquat;
using glm::dvec3;

// Makes two palette entries for each joint: rows 0 and 1 of the first are the dual quaternion, the second is the
// stretch. Half of the quaternions have the other sign, which is the same rotation.
std::vector<Affine> make_dual_quaternions(bool mirrored) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  const dquat base = random_rotation(random, 3);
  std::vector<Affine> palette;
  for (std::uint32_t j = 0; 2 * j < kElements; ++j) {
    const dquat real = (random() % 2 == 0 ? 1.0 : -1.0) * (base * random_rotation(random, 1));
    const dquat dual = 0.5 * dquat(0, unit(random), unit(random), unit(random)) * real;
    palette.emplace_back(glm::vec4(real.x, real.y, real.z, real.w), glm::vec4(dual.x, dual.y, dual.z, dual.w),
                         glm::vec4(0));
    dmat3 stretch = random_stretch(random);
    if (mirrored) stretch[2] = -stretch[2];
    palette.push_back(affine_of(stretch, dvec3(0)));
  }
  return palette;
}

dquat quaternion_of(const glm::vec4& q) { return {q.w, q.x, q.y, q.z}; }

// Kavan et al. 2008, equation 4 and section 5: stretches are blended first, linearly; each quaternion takes the sign
// that is nearer to the strongest influence's.
Expected expected_dual_quaternion(const ExactSample& sample, std::size_t row, std::span<const Affine> palette) {
  const std::span<const Influence> influences = sample.rows.row(row);
  const dquat pivot = quaternion_of(palette[influences.front().index][0]);
  dquat real(0, 0, 0, 0);
  dquat dual(0, 0, 0, 0);
  dmat3 stretch(0.0);
  double size = glm::length(dvec3(sample.positions[row]));
  for (const Influence& influence : influences) {
    const double weight = std::round(influence.weight * 65535.0) * kUnit;
    const dquat q = quaternion_of(palette[influence.index][0]);
    const double sign = glm::dot(q, pivot) < 0 ? -1 : 1;
    real = real + sign * weight * q;
    dual = dual + sign * weight * quaternion_of(palette[influence.index][1]);
    stretch += weight * axes_of(palette[influence.index + 1]);
    size += 4 * weight * glm::length(quaternion_of(palette[influence.index][1]));
  }
  const double length = glm::length(real);
  real = real / length;
  dual = dual / length;
  const dquat twice_translation = 2.0 * dual * glm::conjugate(real);
  Expected expected;
  expected.axes = glm::mat3_cast(real) * stretch;
  expected.origin = dvec3(twice_translation.x, twice_translation.y, twice_translation.z);
  expected.size = 2 * size;
  map_vertex(sample, row, expected);
  return expected;
}

// Makes a sample with its influences on every second palette entry.
ExactSample make_dual_quaternion_sample(std::size_t count, const std::vector<std::size_t>& lengths) {
  ExactSample sample = make_exact_sample(count, lengths);
  for (Influence& influence : sample.rows.influences) influence.index -= influence.index % 2;
  for (std::uint32_t& word : sample.binding.influences) word &= ~std::uint32_t{1};
  return sample;
}

Outputs dual_quaternion(const ExactSample& sample, std::span<const Affine> palette) {
  Outputs outputs(sample.positions.size());
  blend_dual_quaternion(sample.binding, rest_shape(sample.binding), {0, slice_count(sample.binding)}, palette,
                        outputs.all());
  return outputs;
}

TEST(BlendDualQuaternion, IsTheEquationForEverySize) {
  for (const bool mirrored : {false, true}) {
    const std::vector<Affine> palette = make_dual_quaternions(mirrored);
    for (const std::size_t count : kSizes) {
      SCOPED_TRACE(count);
      const ExactSample sample = make_dual_quaternion_sample(count, lengths_to(9));
      const Outputs actual = dual_quaternion(sample, palette);
      for (std::size_t row = 0; row < count; ++row) {
        const Expected expected = expected_dual_quaternion(sample, row, palette);
        ASSERT_EQ(glm::determinant(expected.axes) < 0, mirrored);
        expect_near(actual, row, expected, sample);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(BlendDualQuaternion, IsTheEquationForEveryInfluenceCount) {
  const std::vector<Affine> palette = make_dual_quaternions(false);
  for (std::size_t length = 1; length <= kElements; ++length) {
    SCOPED_TRACE(length);
    const ExactSample sample = make_dual_quaternion_sample(33, {length});
    const Outputs actual = dual_quaternion(sample, palette);
    for (std::size_t row = 0; row < 33; ++row) {
      expect_near(actual, row, expected_dual_quaternion(sample, row, palette), sample);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(BlendDualQuaternion, TheOppositeQuaternionIsTheSameRotation) {
  const std::vector<Affine> palette = make_dual_quaternions(false);
  const ExactSample sample = make_dual_quaternion_sample(65, lengths_to(9));
  const Outputs before = dual_quaternion(sample, palette);
  for (std::size_t flipped = 0; flipped < palette.size(); flipped += 2) {
    std::vector<Affine> other = palette;
    other[flipped] = -other[flipped];
    const Outputs after = dual_quaternion(sample, other);
    ASSERT_EQ(after.positions, before.positions) << flipped;
    ASSERT_EQ(after.normals, before.normals) << flipped;
    ASSERT_EQ(after.tangents, before.tangents) << flipped;
  }
}

// Halfway between the rest pose and a screw of 120 degrees and 2 metres along x lies a screw of 60 degrees and 1 metre:
// linear blending would halve the radius.
TEST(BlendDualQuaternion, HalfwayAlongAScrewIsHalfTheScrew) {
  const glm::quat turn = glm::angleAxis(glm::radians(120.0f), glm::vec3(1, 0, 0));
  const glm::quat dual = 0.5f * glm::quat(0, 2, 0, 0) * turn;
  const std::vector<Affine> palette{
      {glm::vec4(0, 0, 0, 1), glm::vec4(0), glm::vec4(0)},
      affine_identity(),
      {glm::vec4(turn.x, turn.y, turn.z, turn.w), glm::vec4(dual.x, dual.y, dual.z, dual.w), glm::vec4(0)},
      affine_identity()};
  SparseRows rows;
  rows.append_row(std::vector<Influence>{{0, 0.5f}, {2, 0.5f}});
  const std::vector<glm::vec3> position{{3, 2, 0}};
  const std::vector<glm::vec3> normal{{0, 1, 0}};
  const PackedBinding binding = *pack({&rows, 1}, {position, normal, {}}, {});
  Outputs actual(1);
  blend_dual_quaternion(binding, rest_shape(binding), {0, 1}, palette, actual.all());
  const glm::vec3 radius(0, 0.5f, std::sqrt(0.75f));
  constexpr float kHalfAWeightUnit = 3e-5f;
  EXPECT_LT(glm::distance(actual.positions[0], glm::vec3(4, 0, 0) + 2.0f * radius), 2 * kHalfAWeightUnit);
  EXPECT_LT(glm::distance(actual.normals[0], radius), kHalfAWeightUnit);
}

TEST(BlendDualQuaternion, WritesItsRangeAloneAndAnySplitGivesTheSame) {
  const std::vector<Affine> palette = make_dual_quaternions(false);
  const ExactSample sample = make_dual_quaternion_sample(1234, lengths_to(20));
  const std::size_t slices = slice_count(sample.binding);
  const Outputs whole = dual_quaternion(sample, palette);
  for (const std::size_t step : {1, 2, 7, 38}) {
    SCOPED_TRACE(step);
    Outputs split(1234);
    for (std::size_t first = 0; first < slices; first += step) {
      const std::size_t last = std::min(first + step, slices);
      blend_dual_quaternion(sample.binding, rest_shape(sample.binding), {first, last}, palette, split.all());
      for (std::size_t row = 32 * last; row < 1234; ++row) ASSERT_EQ(split.positions[row], glm::vec3(7)) << row;
    }
    EXPECT_EQ(split, whole);
  }
}

TEST(BlendDualQuaternion, GivesWhatIsAskedFor) {
  const std::vector<Affine> palette = make_dual_quaternions(false);
  const ExactSample sample = make_dual_quaternion_sample(65, lengths_to(9));
  const SliceRange all{0, slice_count(sample.binding)};
  const Outputs everything = dual_quaternion(sample, palette);
  Outputs positions(65);
  blend_dual_quaternion(sample.binding, rest_shape(sample.binding), all, palette,
                        {.positions = positions.positions.data()});
  EXPECT_EQ(positions.positions, everything.positions);
  Outputs normals(65);
  blend_dual_quaternion(sample.binding, rest_shape(sample.binding), all, palette,
                        {.positions = normals.positions.data(), .normals = normals.normals.data()});
  EXPECT_EQ(normals.positions, everything.positions);
  EXPECT_EQ(normals.normals, everything.normals);
}

TEST(BlendDualQuaternion, WithoutStretchIsAPointWithUnitDirections) {
  std::vector<Affine> palette = make_dual_quaternions(false);
  for (std::size_t j = 1; j < palette.size(); j += 2) palette[j] = Affine(0.0f);
  const ExactSample sample = make_dual_quaternion_sample(65, lengths_to(9));
  const Outputs actual = dual_quaternion(sample, palette);
  for (std::size_t row = 0; row < 65; ++row) {
    ASSERT_EQ(actual.positions[row], affine_origin(actual.frames[row])) << row;
    ASSERT_NEAR(glm::length(actual.normals[row]), 1, 1e-5) << row;
    const Affine& strongest = palette[sample.rows.row(row).front().index];
    const dvec3 turned = glm::mat3_cast(quaternion_of(strongest[0])) * sample.normals[row];
    ASSERT_LT(glm::distance(dvec3(actual.normals[row]), turned), kDirectionTolerance) << row;
    ASSERT_NEAR(glm::length(glm::vec3(actual.tangents[row])), 1, 1e-5) << row;
    ASSERT_NEAR(glm::dot(glm::vec3(actual.tangents[row]), actual.normals[row]), 0, 1e-5) << row;
  }
}

}  // namespace
}  // namespace pelt
