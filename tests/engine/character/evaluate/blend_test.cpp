// SPDX-License-Identifier: MIT
// Compares the vertex kernels with their blend equations in double precision, written here from their sources, and with
// the kernels without vector instructions, for every instruction set of this machine.
#include <string>
#include <tuple>

#include "tests/engine/character/evaluate/every_target.h"
#include "tests/engine/character/evaluate/exact_sample.h"

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
                         glm::vec4(1, 0, 0, 0));
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
  expected.mirror = glm::sign(glm::determinant(stretch));
  map_vertex(sample, row, expected);
  return expected;
}

// Makes a sample with its influences on every second palette entry.
ExactSample make_dual_quaternion_sample(std::size_t count, const std::vector<std::size_t>& lengths,
                                        bool graded = false) {
  ExactSample sample = make_exact_sample(count, lengths, graded);
  for (Influence& influence : sample.rows.influences) influence.index -= influence.index % 2;
  for (std::uint32_t& word : sample.binding.influences) word &= ~std::uint32_t{1};
  return sample;
}

void blend_dual_quaternions(const ExactSample& sample, std::span<const Affine> palette, SliceRange range,
                            const BlendOutputs& out) {
  std::vector<PaletteLine> lines(palette.size());
  const Stretches stretches = make_dual_quaternion_lines(palette, lines);
  blend_dual_quaternion(sample.binding, rest_shape(sample.binding), range, lines, stretches, out);
}

Outputs dual_quaternion(const ExactSample& sample, std::span<const Affine> palette) {
  Outputs outputs(sample.positions.size());
  blend_dual_quaternions(sample, palette, {0, slice_count(sample.binding)}, outputs.all());
  return outputs;
}

Outputs dual_quaternion_by_scalars(const ExactSample& sample, std::span<const Affine> palette) {
  return blended(blend_dual_quaternion_by_scalars, sample, palette);
}

// Compares blends relative to `size`, the size of positions.
void expect_same(const Outputs& actual, const Outputs& expected, float size = 10) {
  for (std::size_t row = 0; row < actual.positions.size(); ++row) {
    ASSERT_LT(glm::distance(actual.positions[row], expected.positions[row]), 1e-6f * size) << row;
    ASSERT_LT(glm::distance(actual.normals[row], expected.normals[row]), 1e-4f) << row;
    ASSERT_LT(glm::distance(actual.tangents[row], expected.tangents[row]), 1e-4f) << row;
    for (int i = 0; i < 3; ++i) {
      ASSERT_LT(glm::distance(actual.frames[row][i], expected.frames[row][i]), 3e-6f * size) << row;
    }
  }
}

Stretches stretches_of(std::span<const Affine> palette) {
  std::vector<PaletteLine> lines(palette.size());
  return make_dual_quaternion_lines(palette, lines);
}

std::vector<Affine> without_stretches(std::vector<Affine> palette) {
  for (std::size_t j = 0; j < palette.size(); j += 2) {
    palette[j][2].x = 0;
    palette[j + 1] = affine_identity();
  }
  return palette;
}

// A kernel with vector instructions, and its reference.
struct VertexKernel {
  const char* name;
  std::vector<Affine> (*entries)(bool mirrored);
  ExactSample (*make)(std::size_t count, const std::vector<std::size_t>& lengths, bool graded);
  void (*blend)(const ExactSample& sample, std::span<const Affine> palette, SliceRange range, const BlendOutputs& out);
  Outputs (*by_scalars)(const ExactSample& sample, std::span<const Affine> palette);
  Expected (*expected)(const ExactSample& sample, std::size_t row, std::span<const Affine> palette);  // not graded
  void (*scale)(std::vector<Affine>& palette, float factor);

  Outputs all(const ExactSample& sample, std::span<const Affine> palette) const {
    Outputs outputs(sample.positions.size());
    blend(sample, palette, {0, slice_count(sample.binding)}, outputs.all());
    return outputs;
  }
};

Outputs linear_by_scalars(const ExactSample& sample, std::span<const Affine> palette) {
  return blended(blend_linear_by_scalars, sample, palette);
}

void scale_stretches(std::vector<Affine>& palette, float factor) {
  for (std::size_t j = 0; j < palette.size(); j += 2) {
    palette[j][2].x = 1;
    palette[j + 1] *= factor;
  }
}

const VertexKernel kVertexKernels[] = {
    {"Linear", make_palette, make_exact_sample,
     [](const ExactSample& sample, std::span<const Affine> palette, SliceRange range, const BlendOutputs& out) {
       blend_linear(sample.binding, rest_shape(sample.binding), range, lines_of(palette), out);
     },
     linear_by_scalars, expected_linear,
     [](std::vector<Affine>& palette, float factor) {
       for (Affine& frame : palette) frame *= factor;
     }},
    {"DualQuaternion", make_dual_quaternions, make_dual_quaternion_sample, blend_dual_quaternions,
     dual_quaternion_by_scalars, expected_dual_quaternion, scale_stretches},
    {"DualQuaternionWithoutStretches", [](bool) { return without_stretches(make_dual_quaternions(false)); },
     make_dual_quaternion_sample, blend_dual_quaternions, dual_quaternion_by_scalars, expected_dual_quaternion,
     scale_stretches}};

class VertexKernels : public testing::TestWithParam<std::tuple<std::int64_t, VertexKernel>> {
 protected:
  void SetUp() override { choose_target(std::get<0>(GetParam())); }
  void TearDown() override { choose_target(0); }

  // Compares every vertex with the equation.
  void expect_equation(const ExactSample& sample, std::span<const Affine> palette) const {
    const Outputs actual = kernel_.all(sample, palette);
    for (std::size_t row = 0; row < sample.positions.size(); ++row) {
      ASSERT_NO_FATAL_FAILURE(expect_near(actual, row, kernel_.expected(sample, row, palette), sample));
    }
  }

  const VertexKernel& kernel_ = std::get<1>(GetParam());
};

TEST_P(VertexKernels, AreTheEquationForEverySizeAndInfluenceCount) {
  for (const bool mirrored : {false, true}) {
    for (const std::size_t count : kSizes) {
      SCOPED_TRACE(count);
      ASSERT_NO_FATAL_FAILURE(expect_equation(kernel_.make(count, lengths_to(9), false), kernel_.entries(mirrored)));
    }
  }
  for (std::size_t length = 1; length <= kElements; ++length) {
    SCOPED_TRACE(length);
    ASSERT_NO_FATAL_FAILURE(expect_equation(kernel_.make(65, {length}, false), kernel_.entries(false)));
  }
}

TEST_P(VertexKernels, AreNearlyWhatScalarsGive) {
  for (const bool graded : {false, true}) {
    for (const bool mirrored : {false, true}) {
      for (const std::vector<std::size_t>& lengths : {lengths_to(4), lengths_to(kElements)}) {
        SCOPED_TRACE(lengths.size());
        const std::vector<Affine> palette = kernel_.entries(mirrored);
        const ExactSample sample = kernel_.make(1234, lengths, graded);
        ASSERT_NO_FATAL_FAILURE(expect_same(kernel_.all(sample, palette), kernel_.by_scalars(sample, palette)));
      }
    }
  }
}

TEST_P(VertexKernels, WriteTheirRangeAloneAndAnySplitGivesTheSame) {
  const std::vector<Affine> palette = kernel_.entries(false);
  const ExactSample sample = kernel_.make(1234, lengths_to(40), false);
  const std::size_t slices = slice_count(sample.binding);
  ASSERT_EQ(slices, 39u);
  const Outputs whole = kernel_.all(sample, palette);
  for (const std::size_t step : {1, 2, 7, 38}) {
    SCOPED_TRACE(step);
    Outputs split(1234);
    for (std::size_t first = 0; first < slices; first += step) {
      const std::size_t last = std::min(first + step, slices);
      kernel_.blend(sample, palette, {first, last}, split.all());
      for (std::size_t row = 32 * last; row < 1234; ++row) ASSERT_EQ(split.positions[row], glm::vec3(7)) << row;
    }
    EXPECT_EQ(split, whole);
  }
}

TEST_P(VertexKernels, GiveWhatIsAskedFor) {
  for (const bool graded : {false, true}) {
    const std::vector<Affine> palette = kernel_.entries(false);
    const ExactSample sample = kernel_.make(65, lengths_to(9), graded);
    const Outputs everything = kernel_.all(sample, palette);
    const auto blend = [&](const BlendOutputs& out) {
      kernel_.blend(sample, palette, {0, slice_count(sample.binding)}, out);
    };
    Outputs positions(65), normals(65), frames(65);
    blend({.positions = positions.positions.data()});
    blend({.positions = normals.positions.data(), .normals = normals.normals.data()});
    blend({.positions = frames.positions.data(), .frames = frames.frames.data()});
    for (const Outputs& some : {positions, normals, frames}) EXPECT_EQ(some.positions, everything.positions);
    EXPECT_EQ(normals.normals, everything.normals);
    EXPECT_EQ(frames.frames, everything.frames);
  }
}

// Squares of entries overflow or vanish here, first in the products of the fast path.
TEST_P(VertexKernels, GiveDirectionsThatDoNotDependOnTheScale) {
  const std::vector<Affine> palette = kernel_.entries(false);
  const ExactSample sample = kernel_.make(64, lengths_to(5), false);
  const Outputs unscaled = kernel_.all(sample, palette);
  for (int power = -18; power <= 18; power += 3) {
    SCOPED_TRACE(power);
    std::vector<Affine> scaled = palette;
    kernel_.scale(scaled, std::pow(10.0f, static_cast<float>(power)));
    const Outputs actual = kernel_.all(sample, scaled);
    for (std::size_t row = 0; row < 64; ++row) {
      ASSERT_LT(glm::distance(actual.normals[row], unscaled.normals[row]), 1e-5f) << row;
      ASSERT_LT(glm::distance(actual.tangents[row], unscaled.tangents[row]), 1e-5f) << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, VertexKernels,
                         testing::Combine(testing::ValuesIn(targets_of_kernels()), testing::ValuesIn(kVertexKernels)),
                         [](const auto& kernel) {
                           return hwy::TargetName(std::get<0>(kernel.param)) +
                                  ("_" + std::string(std::get<1>(kernel.param).name));
                         });

// -------------------------------------------------------------------------------------------------- dual quaternions

class BlendDualQuaternion : public EveryTarget {};

// Rotations that lie half a turn apart are at right angles as quaternions: neither sign is nearer.
// Rounding, and the sign of a quaternion, do not decide which way round half a turn goes.
TEST_P(BlendDualQuaternion, HalfATurnApartAllTakeTheSameWay) {
  std::vector<Affine> palette;
  std::mt19937 random(4);
  for (std::uint32_t j = 0; 2 * j < kElements; ++j) {
    glm::vec4 real(0);
    real[static_cast<int>(random() % 4)] = random() % 2 == 0 ? 1.0f : -1.0f;
    palette.emplace_back(real, glm::vec4(0), glm::vec4(0));
    palette.push_back(affine_identity());
  }
  const ExactSample sample = make_dual_quaternion_sample(1234, lengths_to(9));
  const Outputs wanted = dual_quaternion(sample, palette);
  expect_same(wanted, dual_quaternion_by_scalars(sample, palette));
  for (std::size_t j = 0; j < palette.size(); j += 2) {
    for (int i = 0; i < 4; ++i) palette[j][0][i] += 1e-7f * (static_cast<float>(random() % 3) - 1.0f);
    if (random() % 2 == 0) palette[j] *= -1.0f;
  }
  const Outputs rounded = dual_quaternion(sample, palette);
  for (std::size_t row = 0; row < 1234; ++row)
    ASSERT_LT(glm::distance(rounded.positions[row], wanted.positions[row]), 1e-4f) << row;
}

// Unit quaternions on the pivot's side do not cancel; these are too short to have a direction.
TEST_P(BlendDualQuaternion, WhereNothingIsLeftTheStrongestInfluenceMovesTheVertex) {
  const std::vector<Affine> palette = make_dual_quaternions(false);
  const auto is_short = [](std::size_t j, bool graded) { return graded || j % 3 == 0; };
  for (const bool graded : {false, true}) {
    std::vector<Affine> shrunk = palette;
    for (std::size_t j = 0; j < shrunk.size(); j += 2) {
      if (is_short(j, graded)) shrunk[j] *= 1e-7f;
    }
    const ExactSample sample = make_dual_quaternion_sample(131, lengths_to(2), graded);
    const Outputs actual = dual_quaternion(sample, shrunk);
    expect_same(actual, dual_quaternion_by_scalars(sample, shrunk));
    for (std::size_t row = 0; row < 131; row += 2) {  // those of one influence
      if (!is_short(sample.rows.row(row).front().index, graded)) continue;
      const Expected expected = expected_dual_quaternion(sample, row, palette);
      ASSERT_LT(glm::distance(dvec3(actual.positions[row]), expected.position), kPositionTolerance * expected.size);
    }
  }
}

TEST(DualQuaternionLines, HaveStretchesWhereAnEntrySaysSo) {
  std::vector<Affine> palette = without_stretches(make_dual_quaternions(false));
  EXPECT_EQ(stretches_of({}), Stretches::kNone);
  EXPECT_EQ(stretches_of(palette), Stretches::kNone);
  palette[palette.size() - 2][2].x = 1;
  EXPECT_EQ(stretches_of(palette), Stretches::kSome);
}

TEST_P(BlendDualQuaternion, WithoutStretchIsAPointWithUnitDirections) {
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

INSTANTIATE_TEST_SUITE_P(Targets, BlendDualQuaternion, testing::ValuesIn(targets_of_kernels()), target_name);

}  // namespace
}  // namespace pelt
