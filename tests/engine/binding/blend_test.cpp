// SPDX-License-Identifier: MIT
// Compares the vertex kernel with the blend equation in double precision, written here from its sources, for every
// instruction set of this machine.
#include "engine/binding/blend.h"

#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <numeric>
#include <random>

namespace pelt {
namespace {

using glm::dmat3;
using glm::dquat;
using glm::dvec3;

constexpr std::uint32_t kElements = 50;
constexpr double kUnit = 1.0 / 65535;  // one unit of a weight
constexpr std::size_t kSizes[] = {0, 1, 31, 32, 33, 63, 64, 65, 1234};

// Tolerance of float: some 16 units in the last place of the summed terms.
constexpr double kPositionTolerance = 2e-6;
constexpr double kDirectionTolerance = 1e-5;  // for frames whose axes differ fourfold in length

// Returns the unit vector nearest to v that two snorm16 of an octahedron hold (Cigolle et al. 2014), the first of them
// a multiple of `step`, so that packing loses nothing.
dvec3 on_octahedral_grid(const dvec3& v, double step) {
  const double size = std::abs(v.x) + std::abs(v.y) + std::abs(v.z);
  double x = v.x / size;
  double y = v.y / size;
  if (v.z < 0) {
    const double unfolded = x;
    x = std::copysign(1 - std::abs(y), x);
    y = std::copysign(1 - std::abs(unfolded), y);
  }
  x = std::trunc(x * 32767 / step) * step / 32767;
  y = std::trunc(y * 32767) / 32767;
  const double z = 1 - std::abs(x) - std::abs(y);
  if (z >= 0) return glm::normalize(dvec3(x, y, z));
  return glm::normalize(dvec3(std::copysign(1 - std::abs(y), x), std::copysign(1 - std::abs(x), y), z));
}

// A mesh of `count` vertices. Everything in it survives packing exactly, so that only the blend is measured.
struct ExactSample {
  SparseRows rows;  // gradients as they are packed
  std::vector<glm::vec3> positions;
  std::vector<dvec3> normals;
  std::vector<dvec3> tangents;
  std::vector<double> handedness;
  PackedBinding binding;
};

// Makes a sample: row r has lengths[r % size] influences, the strongest first. If `graded`, all rows except every
// fourth one have gradients.
ExactSample make_exact_sample(std::size_t count, const std::vector<std::size_t>& lengths, bool graded = false) {
  ExactSample sample;
  std::mt19937 random(static_cast<std::uint32_t>(count + lengths.size()));
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<glm::vec3> normals;
  std::vector<glm::vec4> tangents;
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t length = lengths[r % lengths.size()];
    std::vector<std::uint32_t> weights(length, 1);
    for (std::size_t left = 65535 - length; left > 0;) {
      const std::size_t given = std::min(left, 1 + random() % (2 * 65535 / length));
      weights[random() % length] += static_cast<std::uint32_t>(given);
      left -= given;
    }
    std::sort(weights.rbegin(), weights.rend());
    std::vector<Influence> row;
    const auto first = static_cast<std::uint32_t>(random() % kElements);
    for (std::uint32_t k = 0; k < length; ++k) {
      row.push_back({(first + 7 * k) % kElements, static_cast<float>(weights[k]) / 65535.0f});
    }
    std::vector<glm::vec3> gradients(graded ? length : 0, glm::vec3(0.0f));
    for (std::size_t k = 1; k < gradients.size() && r % 4 != 0; ++k) {
      gradients[k] = 0.1f * glm::vec3(unit(random), unit(random), unit(random));
      gradients[0] -= gradients[k];
    }
    sample.rows.append_row(row, gradients);
    sample.positions.emplace_back(3 * unit(random), 3 * unit(random), 3 * unit(random));
    const dvec3 normal = on_octahedral_grid(dvec3(unit(random), unit(random), unit(random)), 1);
    const dvec3 across(unit(random), unit(random), unit(random));
    sample.normals.push_back(normal);
    sample.tangents.push_back(on_octahedral_grid(glm::cross(normal, across), 2));
    sample.handedness.push_back(random() % 2 == 0 ? 1 : -1);
    normals.emplace_back(normal);
    tangents.emplace_back(glm::vec3(sample.tangents.back()), sample.handedness.back());
  }
  Result<PackedBinding> packed = pack({&sample.rows, 1}, {sample.positions, normals, tangents}, {});
  EXPECT_TRUE(packed) << packed.error().message;
  sample.binding = std::move(*packed);
  for (std::size_t r = 0; r < count && graded; ++r) {
    for (std::size_t k = 0; k < sample.rows.row(r).size(); ++k) {
      const std::size_t at = sample.binding.slices[r / 32] + 32 * k + r % 32;
      sample.rows.gradients[sample.rows.offsets[r] + k] = unpack_gradient(sample.binding, r, at);
    }
  }
  EXPECT_TRUE(validate(sample.binding, kElements, Groups::kOne, "sample"));
  return sample;
}

// Returns the lengths 1 to `most` in order.
std::vector<std::size_t> lengths_to(std::size_t most) {
  std::vector<std::size_t> lengths(most);
  std::iota(lengths.begin(), lengths.end(), 1u);
  return lengths;
}

dquat random_rotation(std::mt19937& random, double largest_angle) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const dvec3 axis = glm::normalize(dvec3(unit(random), unit(random), unit(random)) + dvec3(0, 0, 1e-3));
  return glm::angleAxis(largest_angle * unit(random), axis);
}

// Returns a symmetric matrix with eigenvalues from 0.5 to 2.
dmat3 random_stretch(std::mt19937& random) {
  std::uniform_real_distribution<double> factor(0.5, 2);
  const dmat3 axes = glm::mat3_cast(random_rotation(random, 3));
  const dmat3 scale(factor(random), 0, 0, 0, factor(random), 0, 0, 0, factor(random));
  return axes * scale * glm::transpose(axes);
}

Affine affine_of(const dmat3& axes, const dvec3& origin) {
  return affine_from_axes(glm::mat3(axes), glm::vec3(origin));
}

// Makes frames turned by up to half a radian from each other, stretched differently along every axis, sheared and
// moved.
std::vector<Affine> make_palette(bool mirrored) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  const dmat3 base = glm::mat3_cast(random_rotation(random, 3));
  std::vector<Affine> palette;
  for (std::uint32_t j = 0; j < kElements; ++j) {
    dmat3 axes = base * glm::mat3_cast(random_rotation(random, 0.5)) * random_stretch(random);
    axes[1] += 0.2 * unit(random) * axes[0];
    if (mirrored) axes[0] = -axes[0];
    palette.push_back(affine_of(axes, 2.0 * dvec3(unit(random), unit(random), unit(random))));
  }
  return palette;
}

// A vertex by the equations.
struct Expected {
  dmat3 axes{0.0};
  dvec3 origin{0.0};
  double size = 0;  // magnitude of the terms that are summed for the position
  dvec3 position;
  dvec3 normal;
  dvec3 tangent;
};

// Computes position, normal and tangent from the blended frame: n' = normalize(cofactor(B) n) with cofactor(B) = det(B)
// B^-T, and t' = normalize(B t) made orthogonal to n' (docs/mathematics.md section 0).
void map_vertex(const ExactSample& sample, std::size_t row, Expected& expected) {
  expected.position = expected.axes * dvec3(sample.positions[row]) + expected.origin;
  const dmat3 cofactors = glm::determinant(expected.axes) * glm::transpose(glm::inverse(expected.axes));
  expected.normal = glm::normalize(cofactors * sample.normals[row]);
  const dvec3 along = expected.axes * sample.tangents[row];
  expected.tangent = glm::normalize(along - expected.normal * glm::dot(along, expected.normal));
}

dmat3 axes_of(const Affine& frame) { return dmat3(affine_axes(frame)); }
dvec3 origin_of(const Affine& frame) { return dvec3(frame[0].w, frame[1].w, frame[2].w); }

// Adds gradients: B = sum w_j A_j + sum (T_j P) g_j^T; the position of P does not change.
void add_gradient_terms(const ExactSample& sample, std::size_t row, std::span<const Affine> palette,
                        Expected& expected) {
  const dvec3 point(sample.positions[row]);
  for (std::size_t k = 0; k < sample.rows.row(row).size(); ++k) {
    const Affine& frame = palette[sample.rows.row(row)[k].index];
    const dvec3 gradient(sample.rows.row_gradients(row)[k]);
    const dvec3 moved = axes_of(frame) * point + origin_of(frame);
    const dmat3 outer = glm::outerProduct(moved, gradient);
    expected.axes += outer;
    expected.origin -= outer * point;
    expected.size += 4 * glm::length(moved) * glm::length(gradient) * glm::length(point);
  }
}

// Computes v' = sum w_j T_j l.
Expected expected_linear(const ExactSample& sample, std::size_t row, std::span<const Affine> palette) {
  Expected expected;
  for (const Influence& influence : sample.rows.row(row)) {
    const double weight = std::round(influence.weight * 65535.0) * kUnit;
    const Affine& frame = palette[influence.index];
    expected.axes += weight * axes_of(frame);
    expected.origin += weight * origin_of(frame);
    expected.size += weight * (glm::length(axes_of(frame) * dvec3(sample.positions[row])) +
                               glm::length(origin_of(frame)) + glm::length(dvec3(sample.positions[row])));
  }
  if (!sample.rows.gradients.empty()) add_gradient_terms(sample, row, palette, expected);
  map_vertex(sample, row, expected);
  return expected;
}

struct Outputs {
  explicit Outputs(std::size_t count)
      : positions(count, glm::vec3(7)), normals(count, glm::vec3(7)), tangents(count, glm::vec4(7)), frames(count) {}
  BlendOutputs all() { return {positions.data(), normals.data(), tangents.data(), frames.data()}; }
  friend bool operator==(const Outputs&, const Outputs&) = default;

  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec4> tangents;
  std::vector<Affine> frames;
};

void expect_near(const Outputs& actual, std::size_t row, const Expected& expected, const ExactSample& sample) {
  SCOPED_TRACE("vertex " + std::to_string(row));
  ASSERT_LE(glm::distance(dvec3(actual.positions[row]), expected.position), kPositionTolerance * expected.size);
  ASSERT_LE(glm::distance(dvec3(actual.normals[row]), expected.normal), kDirectionTolerance);
  ASSERT_LE(glm::distance(dvec3(actual.tangents[row]), expected.tangent), kDirectionTolerance);
  ASSERT_EQ(actual.tangents[row].w, sample.handedness[row]);
  for (int column = 0; column < 3; ++column) {
    ASSERT_LE(glm::distance(axes_of(actual.frames[row])[column], expected.axes[column]), kPositionTolerance * 4);
  }
  ASSERT_LE(glm::distance(origin_of(actual.frames[row]), expected.origin), kPositionTolerance * expected.size);
}

std::vector<PaletteLine> lines_of(std::span<const Affine> palette) {
  std::vector<PaletteLine> lines(palette.size());
  make_palette_lines(palette, lines);
  return lines;
}

Outputs linear(const ExactSample& sample, std::span<const Affine> palette) {
  Outputs outputs(sample.positions.size());
  blend_linear(sample.binding, rest_shape(sample.binding), {0, slice_count(sample.binding)}, lines_of(palette),
               outputs.all());
  return outputs;
}

// The parameter is the instruction set that the kernel runs with.
class BlendLinear : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { choose(GetParam()); }
  void TearDown() override { choose(0); }

 private:
  // 0: every instruction set of the processor.
  static void choose(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

TEST_P(BlendLinear, IsTheEquationForEverySize) {
  const std::vector<Affine> palette = make_palette(false);
  for (const std::size_t count : kSizes) {
    SCOPED_TRACE(count);
    const ExactSample sample = make_exact_sample(count, lengths_to(9));
    const Outputs actual = linear(sample, palette);
    for (std::size_t row = 0; row < count; ++row) {
      expect_near(actual, row, expected_linear(sample, row, palette), sample);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(BlendLinear, IsNearlyWhatScalarsGive) {
  const std::vector<Affine> palette = make_palette(false);
  const ExactSample sample = make_exact_sample(131, lengths_to(9));
  const Outputs fast = linear(sample, palette);
  Outputs slow(sample.positions.size());
  blend_linear_by_scalars(sample.binding, rest_shape(sample.binding), {0, slice_count(sample.binding)}, palette,
                          slow.all());
  for (std::size_t v = 0; v < sample.positions.size(); ++v) {
    EXPECT_LT(glm::distance(fast.positions[v], slow.positions[v]), 1e-4f) << v;
    EXPECT_LT(glm::distance(fast.normals[v], slow.normals[v]), 1e-3f) << v;
  }
}

TEST_P(BlendLinear, IsTheEquationForEveryInfluenceCount) {
  const std::vector<Affine> palette = make_palette(false);
  for (std::size_t length = 1; length <= kElements; ++length) {
    SCOPED_TRACE(length);
    const ExactSample sample = make_exact_sample(65, {length});
    const Outputs actual = linear(sample, palette);
    for (std::size_t row = 0; row < 65; ++row) {
      expect_near(actual, row, expected_linear(sample, row, palette), sample);
      if (HasFatalFailure()) return;
    }
  }
}

// A mirror turns a surface inside out together with its triangles: the normal stays that of the posed triangles, and
// normal, tangent and handedness still give the image of the rest bitangent.
TEST_P(BlendLinear, MirroredElementsKeepNormalsWithTheirTriangles) {
  const std::vector<Affine> palette = make_palette(true);
  const ExactSample sample = make_exact_sample(1234, lengths_to(9));
  const Outputs actual = linear(sample, palette);
  for (std::size_t row = 0; row < 1234; ++row) {
    const Expected expected = expected_linear(sample, row, palette);
    ASSERT_LT(glm::determinant(expected.axes), 0);
    expect_near(actual, row, expected, sample);
    if (HasFatalFailure()) return;
    const dvec3 normal(actual.normals[row]);
    const dvec3 e1 = glm::normalize(glm::cross(sample.normals[row], sample.tangents[row]));
    const dvec3 e2 = glm::cross(sample.normals[row], e1);  // a triangle's edges, counter-clockwise
    ASSERT_GT(glm::dot(normal, glm::normalize(glm::cross(expected.axes * e1, expected.axes * e2))), 0.99999);
    const dvec3 bitangent = glm::cross(normal, dvec3(glm::vec3(actual.tangents[row])));
    ASSERT_GT(glm::dot(bitangent, expected.axes * e1), 0);
  }
}

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

TEST_P(BlendLinear, GradientsChangeNoPosition) {
  const std::vector<Affine> palette = make_palette(false);
  const ExactSample with = make_exact_sample(1234, lengths_to(5), true);
  ExactSample without = with;
  without.binding.gradients.clear();
  without.binding.gradient_units.clear();
  const Outputs graded = linear(with, palette);
  const Outputs plain = linear(without, palette);
  EXPECT_EQ(graded.positions, plain.positions);
  EXPECT_NE(graded.normals, plain.normals);
  EXPECT_NE(graded.frames, plain.frames);
  for (std::size_t row = 0; row < 1234; row += 4) {
    ASSERT_LT(glm::distance(graded.normals[row], plain.normals[row]), 1e-6f) << "row " << row << " has none";
  }
}

TEST_P(BlendLinear, GivesWhatIsAskedForWithGradients) {
  const std::vector<PaletteLine> lines = lines_of(make_palette(false));
  const ExactSample sample = make_exact_sample(65, lengths_to(9), true);
  const SliceRange all{0, slice_count(sample.binding)};
  Outputs everything(65);
  blend_linear(sample.binding, rest_shape(sample.binding), all, lines, everything.all());
  Outputs some(65);
  blend_linear(sample.binding, rest_shape(sample.binding), all, lines, {.positions = some.positions.data()});
  EXPECT_EQ(some.positions, everything.positions);
  blend_linear(sample.binding, rest_shape(sample.binding), all, lines,
               {.positions = some.positions.data(), .normals = some.normals.data()});
  EXPECT_EQ(some.normals, everything.normals);
  blend_linear(sample.binding, rest_shape(sample.binding), all, lines,
               {.positions = some.positions.data(), .frames = some.frames.data()});
  EXPECT_EQ(some.frames, everything.frames);
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

// Returns where the equation moves the tube's point, by the two palette entries beside it.
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

SparseRows without_gradients(SparseRows rows) {
  rows.gradients.clear();
  return rows;
}

// The table bends by 115 degrees.
TEST_P(BlendLinear, NormalsRoundATableAreThoseOfTheSurface) {
  const std::vector<Affine> table = BentTube{1.5, 0.4}.table();
  const TubeSample tube([&](double s, double u) { return posed_tube(s, u, table); });
  const auto worst_degrees = [&](const SparseRows& rows) {
    const PackedBinding binding = *pack({&rows, 1}, {tube.positions, tube.normals, tube.tangents}, {});
    Outputs actual(tube.positions.size());
    blend_linear(binding, rest_shape(binding), {0, slice_count(binding)}, lines_of(table), actual.all());
    return tube.worst_degrees(actual);
  };
  EXPECT_LT(worst_degrees(tube.rows), 0.2);  // precision of 8 bits
  EXPECT_GT(worst_degrees(without_gradients(tube.rows)), 5) << "the gradients are not needed";
}

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
  // Where the groups pull apart, the surface nearly folds, which magnifies the rounding to 8 bits.
  EXPECT_LT(worst_degrees(), 3);
  for (SparseRows& rows : groups) rows.gradients.clear();
  EXPECT_GT(worst_degrees(), 5) << "the gradients are not needed";
}

// Squares of 1e12 per metre times a vertex's movement are more than a float holds.
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

TEST_P(BlendLinear, GivesWhatIsAskedFor) {
  const std::vector<PaletteLine> lines = lines_of(make_palette(false));
  const ExactSample sample = make_exact_sample(65, lengths_to(9));
  const SliceRange all{0, slice_count(sample.binding)};
  Outputs everything(65);
  blend_linear(sample.binding, rest_shape(sample.binding), all, lines, everything.all());

  Outputs positions(65);
  blend_linear(sample.binding, rest_shape(sample.binding), all, lines, {.positions = positions.positions.data()});
  EXPECT_EQ(positions.positions, everything.positions);

  Outputs normals(65);
  blend_linear(sample.binding, rest_shape(sample.binding), all, lines,
               {.positions = normals.positions.data(), .normals = normals.normals.data()});
  EXPECT_EQ(normals.positions, everything.positions);
  EXPECT_EQ(normals.normals, everything.normals);

  Outputs frames(65);
  blend_linear(sample.binding, rest_shape(sample.binding), all, lines,
               {.positions = frames.positions.data(), .frames = frames.frames.data()});
  EXPECT_EQ(frames.positions, everything.positions);
  EXPECT_EQ(frames.frames, everything.frames);
}

TEST_P(BlendLinear, WritesItsRangeAloneAndAnySplitGivesTheSame) {
  const std::vector<PaletteLine> lines = lines_of(make_palette(false));
  const ExactSample sample = make_exact_sample(1234, lengths_to(40));
  const std::size_t slices = slice_count(sample.binding);
  ASSERT_EQ(slices, 39u);
  Outputs whole(1234);
  blend_linear(sample.binding, rest_shape(sample.binding), {0, slices}, lines, whole.all());
  for (const std::size_t step : {1, 2, 7, 38}) {
    SCOPED_TRACE(step);
    Outputs split(1234);
    for (std::size_t first = 0; first < slices; first += step) {
      const std::size_t last = std::min(first + step, slices);
      blend_linear(sample.binding, rest_shape(sample.binding), {first, last}, lines, split.all());
      for (std::size_t row = 32 * last; row < 1234; ++row) ASSERT_EQ(split.positions[row], glm::vec3(7)) << row;
    }
    EXPECT_EQ(split, whole);
  }
}

// Squares of entries overflow or vanish here, first in the products of the fast path.
TEST_P(BlendLinear, DirectionsDoNotDependOnTheScale) {
  const std::vector<Affine> palette = make_palette(false);
  const ExactSample sample = make_exact_sample(64, lengths_to(5));
  const Outputs unscaled = linear(sample, palette);
  for (int power = -18; power <= 18; power += 3) {
    SCOPED_TRACE(power);
    std::vector<Affine> scaled = palette;
    for (Affine& frame : scaled) frame *= std::pow(10.0f, static_cast<float>(power));
    const Outputs actual = linear(sample, scaled);
    for (std::size_t row = 0; row < 64; ++row) {
      ASSERT_LT(glm::distance(actual.normals[row], unscaled.normals[row]), 1e-5f) << row;
      ASSERT_LT(glm::distance(actual.tangents[row], unscaled.tangents[row]), 1e-5f) << row;
    }
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

// The kernel is not compiled for the targets without vectors: its lowest target would run twice.
std::vector<std::int64_t> targets_of_the_kernel() {
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  std::erase_if(targets, [](std::int64_t target) { return target == HWY_SCALAR || target == HWY_EMU128; });
  return targets;
}

INSTANTIATE_TEST_SUITE_P(Targets, BlendLinear, testing::ValuesIn(targets_of_the_kernel()),
                         [](const testing::TestParamInfo<std::int64_t>& target) {
                           return std::string(hwy::TargetName(target.param));
                         });

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

// ---------------------------------------------------------------------------------------- groups with local points

// A sample whose rows are the group with the rest position, and two more groups with local points.
struct PointSample {
  ExactSample sample;
  std::vector<SparseRows> groups;
  std::vector<std::vector<glm::vec4>> points;  // for each group
};

// Makes a sample: row r has shares[r % size], that of the rest position first; groups of share 0 have no influence.
PointSample make_point_sample(std::size_t count, const std::vector<glm::vec3>& shares) {
  PointSample result{make_exact_sample(count, lengths_to(5), true), std::vector<SparseRows>(3),
                     std::vector<std::vector<glm::vec4>>(3)};
  ExactSample& sample = result.sample;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec4> tangents;
  for (std::uint32_t r = 0; r < count; ++r) {
    const glm::vec3& of_row = shares[r % shares.size()];
    for (int g = 0; g < 3; ++g) {
      const auto group = static_cast<std::size_t>(g);
      const std::size_t source = (r + 7 * group) % count;
      if (of_row[g] != 0) {
        result.groups[group].append_row(sample.rows.row(source), sample.rows.row_gradients(source));
      } else {
        result.groups[group].append_row({});
      }
      const glm::vec3 aside = static_cast<float>(g) * glm::vec3(sample.normals[r]);
      result.points[group].emplace_back(sample.positions[r] + aside, of_row[g]);
    }
    normals.emplace_back(sample.normals[r]);
    tangents.emplace_back(glm::vec3(sample.tangents[r]), sample.handedness[r]);
  }
  Result<PackedBinding> packed = pack(result.groups, {sample.positions, normals, tangents}, {}, result.points);
  EXPECT_TRUE(packed) << packed.error().message;
  sample.binding = std::move(*packed);
  // Use the packed gradients: the words of a row are those of its groups, one after the other.
  for (std::uint32_t r = 0; r < count; ++r) {
    std::size_t at = sample.binding.slices[r / 32] + r % 32;
    for (SparseRows& group : result.groups) {
      for (std::uint32_t k = group.offsets[r]; k < group.offsets[r + 1]; ++k, at += 32) {
        group.gradients[k] = unpack_gradient(sample.binding, r, at);
      }
      if (group.row(r).empty()) at += 32;
    }
  }
  const Result<void> valid = validate(sample.binding, kElements, Groups::kWithPoints, "sample");
  EXPECT_TRUE(valid) << valid.error().message;
  return result;
}

// Computes v' = sum over groups g: share_g * sum over j of w_gj T_gj l_g.
Expected expected_offsets(const PointSample& with, std::size_t row, std::span<const Affine> palette) {
  const ExactSample& sample = with.sample;
  const dvec3 rest(sample.positions[row]);
  Expected expected;
  dvec3 position(0);
  dmat3 passage(0.0);
  for (std::size_t g = 0; g < with.groups.size(); ++g) {
    const dvec3 local(with.points[g][row]);
    const double share = with.points[g][row].w;
    Expected group;
    for (std::size_t k = 0; k < with.groups[g].row(row).size(); ++k) {
      const Influence& influence = with.groups[g].row(row)[k];
      const double weight = std::round(influence.weight * 65535.0) * kUnit;
      const Affine& frame = palette[influence.index];
      group.axes += weight * axes_of(frame);
      group.origin += weight * origin_of(frame);
      group.size += weight * (glm::length(axes_of(frame) * local) + glm::length(origin_of(frame)) + glm::length(local));
      const dvec3 gradient(with.groups[g].row_gradients(row)[k]);
      const dvec3 moved = axes_of(frame) * local + origin_of(frame);
      passage += glm::outerProduct(moved, gradient);
      expected.size += 4 * glm::length(moved) * glm::length(gradient) * glm::length(rest);
    }
    position += share * (group.axes * local + group.origin);
    expected.axes += share * group.axes;
    expected.size += std::abs(share) * group.size;
  }
  expected.axes += passage;
  expected.origin = position - expected.axes * rest;
  expected.size += glm::length(expected.axes * rest);
  map_vertex(sample, row, expected);
  return expected;
}

Outputs offsets(const ExactSample& sample, std::span<const Affine> palette) {
  Outputs outputs(sample.positions.size());
  blend_offsets(sample.binding, rest_shape(sample.binding), {0, slice_count(sample.binding)}, palette, outputs.all());
  return outputs;
}

const std::vector<glm::vec3> kShares[] = {
    {{1, 0, 0}},
    {{0, 1, 0}},
    {{0, 0.25f, 0.75f}},
    {{0.5f, 0.25f, 0.25f}},
    {{0, 1.125f, -0.125f}},  // weights of both signs
    {{1, 0, 0}, {0, 0, 1}, {0.25f, 0.75f, 0}, {0.5f, 0, 0.5f}, {0, 0.5f, 0.5f}, {0.0625f, 0.0625f, 0.875f}}};

TEST(BlendOffsets, IsTheEquationForEverySizeAndEveryShare) {
  const std::vector<Affine> palette = make_palette(false);
  for (const std::size_t count : kSizes) {
    for (const std::vector<glm::vec3>& shares : kShares) {
      SCOPED_TRACE(std::to_string(count) + " vertices, " + std::to_string(&shares - kShares));
      const PointSample with = make_point_sample(count, shares);
      const Outputs actual = offsets(with.sample, palette);
      for (std::size_t row = 0; row < count; ++row) {
        expect_near(actual, row, expected_offsets(with, row, palette), with.sample);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// One group with the rest position is a linear blend.
TEST(BlendOffsets, AtTheRestPositionIsLinear) {
  const std::vector<Affine> palette = make_palette(false);
  const PointSample with = make_point_sample(1234, {{1, 0, 0}});
  ExactSample alone = with.sample;
  std::vector<glm::vec3> normals(alone.normals.begin(), alone.normals.end());
  alone.binding = *pack({with.groups.data(), 1}, {alone.positions, normals, {}}, {});
  const Outputs expected = linear(alone, palette);
  const Outputs actual = offsets(with.sample, palette);
  for (std::size_t v = 0; v < 1234; ++v) {
    EXPECT_LT(glm::distance(actual.positions[v], expected.positions[v]), 2e-5f);
    EXPECT_LT(glm::distance(actual.normals[v], expected.normals[v]), 1e-5f);
  }
}

// In the rest pose every frame is the identity: the result is the mean of the local points by their shares.
TEST(BlendOffsets, FramesAtRestGiveTheMeanOfTheLocalPoints) {
  const std::vector<Affine> palette(kElements, affine_identity());
  for (const std::vector<glm::vec3>& shares : kShares) {
    const PointSample with = make_point_sample(65, shares);
    const Outputs actual = offsets(with.sample, palette);
    for (std::size_t v = 0; v < 65; ++v) {
      glm::vec3 mean(0);
      for (const std::vector<glm::vec4>& points : with.points) mean += points[v].w * glm::vec3(points[v]);
      EXPECT_LT(glm::distance(actual.positions[v], mean), 5e-6f);
      EXPECT_GT(glm::dot(actual.normals[v], glm::vec3(with.sample.normals[v])), 1 - 1e-5f)
          << "what 8 bits leave between local points";
    }
  }
}

// The identity and half turns about the axes sum to nothing; the group with the largest share decides.
TEST(BlendOffsets, WhereNothingIsLeftTheLargestShareTurnsTheRestDirections) {
  const float shares[] = {0.125f, 0.5f, 0.125f, 0.25f};
  const glm::vec3 turns[] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  const std::vector<glm::vec3> position{{1, 2, 3}}, normal{{0, 0, 1}};
  std::vector<SparseRows> groups(4);
  std::vector<std::vector<glm::vec4>> points(4);
  std::vector<Affine> palette;
  for (std::uint32_t g = 0; g < 4; ++g) {
    const glm::vec3 axes = turns[g] * (0.25f / shares[g]);
    palette.push_back(affine_from_axes(glm::mat3(axes.x, 0, 0, 0, axes.y, 0, 0, 0, axes.z), glm::vec3(5)));
    const Influence alone{g, 1.0f};
    groups[g].append_row({&alone, 1});
    points[g].emplace_back(0, 0, 0, shares[g]);
  }
  const std::vector<glm::vec4> tangent{{0, 1, 0, 1}};
  const PackedBinding binding = *pack(groups, {position, normal, tangent}, {}, points);
  Outputs actual(1);
  blend_offsets(binding, rest_shape(binding), {0, 1}, palette, actual.all());
  EXPECT_LT(glm::distance(actual.positions[0], glm::vec3(5)), 1e-5f);
  EXPECT_LT(glm::distance(actual.normals[0], glm::vec3(0, 0, -1)), 1e-3f);
  EXPECT_LT(glm::distance(glm::vec3(actual.tangents[0]), glm::vec3(0, -1, 0)), 1e-3f);
}

}  // namespace
}  // namespace pelt
