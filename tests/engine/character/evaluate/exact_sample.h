// SPDX-License-Identifier: MIT
// Rows whose packed numbers are exact, palettes for them, and their blend in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <numeric>
#include <random>

#include "engine/character/evaluate/blend.h"
#include "tests/support/must.h"

namespace pelt {

inline constexpr std::uint32_t kElements = 50;
inline constexpr double kUnit = 1.0 / 65535;  // one unit of a weight
inline constexpr std::size_t kSizes[] = {0, 1, 31, 32, 33, 63, 64, 65, 1234};

// Tolerance of float: about 16 ULP of the summed terms.
inline constexpr double kPositionTolerance = 2e-6;
inline constexpr double kDirectionTolerance = 1e-5;  // for frames whose axes differ fourfold in length

// Returns the unit vector nearest to v that two snorm16 of an octahedron hold (Cigolle et al. 2014), the first of them
// a multiple of `step`, so that packing loses nothing.
inline glm::dvec3 on_octahedral_grid(const glm::dvec3& v, double step) {
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
  if (z >= 0) return glm::normalize(glm::dvec3(x, y, z));
  return glm::normalize(glm::dvec3(std::copysign(1 - std::abs(y), x), std::copysign(1 - std::abs(x), y), z));
}

// A mesh of `count` vertices. Everything in it survives packing exactly, so that only the blend is measured.
struct ExactSample {
  SparseRows rows;  // gradients as they are packed
  std::vector<glm::vec3> positions;
  std::vector<glm::dvec3> normals;
  std::vector<glm::dvec3> tangents;
  std::vector<double> handedness;
  PackedBinding binding;
};

// Makes a sample: row r has lengths[r % size] influences, the strongest first. If `graded`, all rows except every
// fourth one have gradients.
inline ExactSample make_exact_sample(std::size_t count, const std::vector<std::size_t>& lengths, bool graded = false) {
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
    const glm::dvec3 normal = on_octahedral_grid(glm::dvec3(unit(random), unit(random), unit(random)), 1);
    const glm::dvec3 across(unit(random), unit(random), unit(random));
    sample.normals.push_back(normal);
    sample.tangents.push_back(on_octahedral_grid(glm::cross(normal, across), 2));
    sample.handedness.push_back(random() % 2 == 0 ? 1 : -1);
    normals.emplace_back(normal);
    tangents.emplace_back(glm::vec3(sample.tangents.back()), sample.handedness.back());
  }
  sample.binding = test::must(pack({&sample.rows, 1}, {sample.positions, normals, tangents}, {}));
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
inline std::vector<std::size_t> lengths_to(std::size_t most) {
  std::vector<std::size_t> lengths(most);
  std::iota(lengths.begin(), lengths.end(), 1u);
  return lengths;
}

inline glm::dquat random_rotation(std::mt19937& random, double largest_angle) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const glm::dvec3 axis = glm::normalize(glm::dvec3(unit(random), unit(random), unit(random)) + glm::dvec3(0, 0, 1e-3));
  return glm::angleAxis(largest_angle * unit(random), axis);
}

// Returns a symmetric matrix with eigenvalues from 0.5 to 2.
inline glm::dmat3 random_stretch(std::mt19937& random) {
  std::uniform_real_distribution<double> factor(0.5, 2);
  const glm::dmat3 axes = glm::mat3_cast(random_rotation(random, 3));
  const glm::dmat3 scale(factor(random), 0, 0, 0, factor(random), 0, 0, 0, factor(random));
  return axes * scale * glm::transpose(axes);
}

inline Affine affine_of(const glm::dmat3& axes, const glm::dvec3& origin) {
  return affine_from_axes(glm::mat3(axes), glm::vec3(origin));
}

// Makes frames turned by up to half a radian from each other, stretched differently along every axis, sheared and
// moved.
inline std::vector<Affine> make_palette(bool mirrored) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  const glm::dmat3 base = glm::mat3_cast(random_rotation(random, 3));
  std::vector<Affine> palette;
  for (std::uint32_t j = 0; j < kElements; ++j) {
    glm::dmat3 axes = base * glm::mat3_cast(random_rotation(random, 0.5)) * random_stretch(random);
    axes[1] += 0.2 * unit(random) * axes[0];
    if (mirrored) axes[0] = -axes[0];
    palette.push_back(affine_of(axes, 2.0 * glm::dvec3(unit(random), unit(random), unit(random))));
  }
  return palette;
}

// A vertex by the equations.
struct Expected {
  glm::dmat3 axes{0.0};
  glm::dvec3 origin{0.0};
  double mirror = 1;  // -1 if the axes, without gradients, mirror
  double size = 0;    // magnitude of the terms that are summed for the position
  glm::dvec3 position;
  glm::dvec3 normal;
  glm::dvec3 tangent;
};

// Computes position, normal and tangent from the blended frame: n' = normalize(cofactor(B) n) with cofactor(B) = det(B)
// B^-T, and t' = normalize(B t) made orthogonal to n' (docs/mathematics.md section 0). A mirror keeps n' outside.
inline void map_vertex(const ExactSample& sample, std::size_t row, Expected& expected) {
  expected.position = expected.axes * glm::dvec3(sample.positions[row]) + expected.origin;
  const glm::dmat3 cofactors = glm::determinant(expected.axes) * glm::transpose(glm::inverse(expected.axes));
  expected.normal = expected.mirror * glm::normalize(cofactors * sample.normals[row]);
  const glm::dvec3 along = expected.axes * sample.tangents[row];
  expected.tangent = glm::normalize(along - expected.normal * glm::dot(along, expected.normal));
}

inline glm::dmat3 axes_of(const Affine& frame) { return glm::dmat3(affine_axes(frame)); }
inline glm::dvec3 origin_of(const Affine& frame) { return glm::dvec3(frame[0].w, frame[1].w, frame[2].w); }

// Adds gradients: B = sum w_j A_j + sum (T_j P) g_j^T; the position of P does not change.
inline void add_gradient_terms(const ExactSample& sample, std::size_t row, std::span<const Affine> palette,
                               Expected& expected) {
  const glm::dvec3 point(sample.positions[row]);
  for (std::size_t k = 0; k < sample.rows.row(row).size(); ++k) {
    const Affine& frame = palette[sample.rows.row(row)[k].index];
    const glm::dvec3 gradient(sample.rows.row_gradients(row)[k]);
    const glm::dvec3 moved = axes_of(frame) * point + origin_of(frame);
    const glm::dmat3 outer = glm::outerProduct(moved, gradient);
    expected.axes += outer;
    expected.origin -= outer * point;
    expected.size += 4 * glm::length(moved) * glm::length(gradient) * glm::length(point);
  }
}

// Computes v' = sum w_j T_j l.
inline Expected expected_linear(const ExactSample& sample, std::size_t row, std::span<const Affine> palette) {
  Expected expected;
  for (const Influence& influence : sample.rows.row(row)) {
    const double weight = std::round(influence.weight * 65535.0) * kUnit;
    const Affine& frame = palette[influence.index];
    expected.axes += weight * axes_of(frame);
    expected.origin += weight * origin_of(frame);
    expected.size += weight * (glm::length(axes_of(frame) * glm::dvec3(sample.positions[row])) +
                               glm::length(origin_of(frame)) + glm::length(glm::dvec3(sample.positions[row])));
  }
  expected.mirror = glm::sign(glm::determinant(expected.axes));
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

inline void expect_near(const Outputs& actual, std::size_t row, const Expected& expected, const ExactSample& sample) {
  SCOPED_TRACE("vertex " + std::to_string(row));
  ASSERT_LE(glm::distance(glm::dvec3(actual.positions[row]), expected.position), kPositionTolerance * expected.size);
  ASSERT_LE(glm::distance(glm::dvec3(actual.normals[row]), expected.normal), kDirectionTolerance);
  ASSERT_LE(glm::distance(glm::dvec3(actual.tangents[row]), expected.tangent), kDirectionTolerance);
  ASSERT_EQ(actual.tangents[row].w, sample.handedness[row] * expected.mirror);
  for (int column = 0; column < 3; ++column) {
    ASSERT_LE(glm::distance(axes_of(actual.frames[row])[column], expected.axes[column]), kPositionTolerance * 4);
  }
  ASSERT_LE(glm::distance(origin_of(actual.frames[row]), expected.origin), kPositionTolerance * expected.size);
}

inline std::vector<PaletteLine> lines_of(std::span<const Affine> palette) {
  std::vector<PaletteLine> lines(palette.size());
  make_palette_lines(palette, lines);
  return lines;
}

// Returns all outputs of a blend over these palette entries, or lines.
template <class Palette>
Outputs blended(const auto& blend, const ExactSample& sample, const Palette& palette) {
  Outputs outputs(sample.positions.size());
  blend(sample.binding, rest_shape(sample.binding), SliceRange{0, slice_count(sample.binding)}, palette, outputs.all());
  return outputs;
}

inline Outputs linear(const ExactSample& sample, std::span<const Affine> palette) {
  return blended(blend_linear, sample, lines_of(palette));
}

}  // namespace pelt
