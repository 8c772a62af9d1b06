// SPDX-License-Identifier: MIT
// Compares blends of groups with local points with the equation.
#include "tests/engine/character/evaluate/exact_sample.h"

namespace pelt {
namespace {

using glm::dmat3;
using glm::dvec3;

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
  sample.binding = test::must(pack(result.groups, {sample.positions, normals, tangents}, {}, result.points));
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
  test::must(validate(sample.binding, kElements, Groups::kWithPoints, "sample"));
  return result;
}

// Computes v' = sum over groups g: share_g * sum over j of w_gj T_gj l_g.
Expected expected_offsets(const PointSample& with, std::size_t row, std::span<const Affine> palette) {
  const ExactSample& sample = with.sample;
  const dvec3 rest(sample.positions[row]);
  Expected expected;
  dvec3 position(0);
  dmat3 derivative(0.0);
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
      derivative += glm::outerProduct(moved, gradient);
      expected.size += 4 * glm::length(moved) * glm::length(gradient) * glm::length(rest);
    }
    position += share * (group.axes * local + group.origin);
    expected.axes += share * group.axes;
    expected.size += std::abs(share) * group.size;
  }
  expected.mirror = glm::sign(glm::determinant(expected.axes));
  expected.axes += derivative;
  expected.origin = position - expected.axes * rest;
  expected.size += glm::length(expected.axes * rest);
  map_vertex(sample, row, expected);
  return expected;
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
      const Outputs actual = blended(blend_offsets, with.sample, palette);
      for (std::size_t row = 0; row < count; ++row) {
        expect_near(actual, row, expected_offsets(with, row, palette), with.sample);
        if (HasFatalFailure()) return;
      }
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
