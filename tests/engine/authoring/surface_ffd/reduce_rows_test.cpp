// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/reduce_rows.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>

#include <pelt/frame.h>

#include "engine/character/rows/surface_gradient.h"
#include "tests/support/tube.h"

namespace pelt::surface_ffd {
namespace {

constexpr std::uint32_t kEntries = 12;

// A square in the plane z = 0, in front of palette entries along x with overlapping weights.
class ReduceRows : public testing::Test {
 protected:
  ReduceRows() {
    for (glm::vec3& p : mesh_.positions) p *= 0.05f;
    mesh_.normals.assign(mesh_.positions.size(), glm::vec3(0, 0, 1));
    std::vector<std::vector<float>> weights(kEntries);
    for (const glm::vec3& p : mesh_.positions) {
      std::vector<WeightedElement> row;
      for (std::uint32_t j = 0; j < kEntries; ++j) row.push_back({j, std::exp(-60 * std::pow(p.x - place(j), 2))});
      double sum = 0;
      for (const WeightedElement& influence : row) sum += influence.weight;
      for (std::uint32_t j = 0; j < kEntries; ++j) weights[j].push_back(static_cast<float>(row[j].weight / sum));
    }
    const SurfaceGradient surface(mesh_.positions, mesh_.triangles);
    std::vector<std::vector<glm::vec3>> gradients;
    for (const std::vector<float>& of_entry : weights) gradients.push_back(surface.of(of_entry));
    for (std::size_t v = 0; v < mesh_.positions.size(); ++v) {
      std::vector<WeightedElement> row;
      for (std::uint32_t j = 0; j < kEntries; ++j) row.push_back({j, weights[j][v], gradients[j][v]});
      append_row(rows_, row, Gradients::kKnown);
    }
  }

  static double place(std::uint32_t entry) { return 0.6 * entry / (kEntries - 1.0); }

  // Returns palettes whose entries turn about x by up to `degrees` in all, evenly along x.
  static std::vector<std::vector<Affine>> twists(float degrees) {
    std::vector<std::vector<Affine>> palettes;
    for (const float share : {-1.0f, -0.3f, 0.5f, 1.0f}) {
      for (std::uint32_t j = 0; j < kEntries; ++j) {
        const float angle = glm::radians(share * degrees) * static_cast<float>(j) / (kEntries - 1.0f);
        const glm::mat4 turn = glm::mat4_cast(glm::angleAxis(angle, glm::vec3(1, 0, 0)));
        if (j == 0) palettes.emplace_back();
        palettes.back().push_back(affine_from_mat4(turn));
      }
    }
    return palettes;
  }

  struct Moved {
    glm::dvec3 position, normal;
  };
  // Moves a vertex by the sums of the definition (docs/mathematics.md section 0).
  Moved moved(const SparseRows& rows, std::size_t v, const std::vector<Affine>& palette) const {
    glm::dvec3 position(0), e(0), f(0);
    for (std::size_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i) {
      const double weight = rows.influences[i].weight;
      const Affine& entry = palette[rows.influences[i].index];
      const glm::dvec3 point(transform_point(entry, mesh_.positions[v]));
      position += weight * point;
      e += weight * glm::dvec3(transform_vector(entry, glm::vec3(1, 0, 0))) + double{rows.gradients[i].x} * point;
      f += weight * glm::dvec3(transform_vector(entry, glm::vec3(0, 1, 0))) + double{rows.gradients[i].y} * point;
    }
    return {position, glm::normalize(glm::cross(e, f))};
  }

  double largest_turn(const SparseRows& a, const SparseRows& b, std::span<const std::vector<Affine>> palettes) const {
    double largest = 0;
    for (const std::vector<Affine>& palette : palettes) {
      for (std::size_t v = 0; v < a.row_count(); ++v) {
        const double cosine = glm::dot(moved(a, v, palette).normal, moved(b, v, palette).normal);
        largest = std::max(largest, glm::degrees(std::acos(std::min(cosine, 1.0))));
      }
    }
    return largest;
  }

  static std::size_t steep_rows(const SparseRows& rows) {
    std::size_t count = 0;
    for (std::size_t v = 0; v < rows.row_count(); ++v) {
      count += std::ranges::any_of(rows.row_gradients(v), [](const glm::vec3& g) { return g != glm::vec3(0.0f); });
    }
    return count;
  }

  SparseRows reduced(std::span<const std::vector<Affine>> palettes) const {
    SparseRows rows = rows_;
    reduce_rows({{{&mesh_, &rows}}}, palettes, 0);
    return rows;
  }

  static SparseRows without_gradients(SparseRows rows) {
    std::ranges::fill(rows.gradients, glm::vec3(0.0f));
    return rows;
  }

  Mesh mesh_ = test::make_grid(12);
  SparseRows rows_;
};

TEST_F(ReduceRows, KeepPositionsAndNormalsWithFewerInfluences) {
  const std::vector<std::vector<Affine>> palettes = twists(120);
  ASSERT_GT(largest_turn(rows_, without_gradients(rows_), palettes), 5);
  const SparseRows reduced = this->reduced(palettes);
  EXPECT_TRUE(validate(reduced, kEntries, "reduced"));
  EXPECT_LT(3 * statistics(reduced).mean_influences, 2 * statistics(rows_).mean_influences);
  EXPECT_GT(steep_rows(reduced), 0u);
  EXPECT_LT(largest_turn(rows_, reduced, palettes), 1.01);
  const double size = std::sqrt(2.0) * 0.6;
  for (const std::vector<Affine>& palette : palettes) {
    for (std::size_t v = 0; v < rows_.row_count(); ++v) {
      EXPECT_LT(glm::distance(moved(rows_, v, palette).position, moved(reduced, v, palette).position), 1.01e-4 * size);
    }
  }
  for (std::size_t v = 0; v < reduced.row_count(); ++v) {
    glm::vec3 sum(0);
    for (const glm::vec3& gradient : reduced.row_gradients(v)) sum += gradient;
    EXPECT_LT(glm::length(sum), 1e-3f);
  }
}

TEST_F(ReduceRows, LoseGradientsThatTurnNoNormalByADegree) {
  const std::vector<std::vector<Affine>> slight = twists(0.8f);
  ASSERT_LT(largest_turn(rows_, without_gradients(rows_), slight), 1);
  EXPECT_EQ(steep_rows(reduced(slight)), 0u);
}

TEST_F(ReduceRows, StayAsTheyAreIfEveryInfluenceCounts) {
  std::vector<std::vector<Affine>> palettes;
  for (std::uint32_t moved = 0; moved < kEntries; ++moved) {
    for (const glm::vec3& by : {glm::vec3(1, 0, 0), glm::vec3(0, 1, 0), glm::vec3(0, 0, 1)}) {
      palettes.emplace_back(kEntries, affine_identity());
      palettes.back()[moved] = affine_from_axes(glm::mat3(1.0f), by);
    }
  }
  std::ranges::fill(rows_.gradients, glm::vec3(0.0f));
  for (std::uint32_t i = 0; i < rows_.influences.size(); ++i) rows_.influences[i].weight = 1.0f / kEntries;
  ASSERT_EQ(rows_.influences.size(), kEntries * rows_.row_count());
  EXPECT_EQ(reduced(palettes).influences.size(), rows_.influences.size());
}

TEST(MergeSameMotion, AddsUpWeightsAndGradients) {
  SparseRows rows;
  const Influence row[] = {{10, 0.5f}, {11, 0.25f}, {13, 0.25f}};
  const glm::vec3 gradients[] = {glm::vec3(1, 0, 0), glm::vec3(2, 0, 0), glm::vec3(-3, 0, 0)};
  rows.append_row(row, gradients);
  rows.append_row(std::span(row).first(2), std::span(gradients).first(2));
  const std::uint32_t same[] = {0, 0, 2, 3};
  const SparseRows merged = merge_same_motion(rows, same, 10);
  ASSERT_EQ(merged.row(0).size(), 2u);
  EXPECT_EQ(merged.row(0)[0], (Influence{10, 0.75f}));
  EXPECT_EQ(merged.row(0)[1], (Influence{13, 0.25f}));
  EXPECT_EQ(merged.row_gradients(0)[0], glm::vec3(3, 0, 0));
  EXPECT_EQ(merged.row_gradients(0)[1], glm::vec3(-3, 0, 0));
  // One motion moves the frame as it moves the point: no gradient is left.
  ASSERT_EQ(merged.row(1).size(), 1u);
  EXPECT_EQ(merged.row(1)[0], (Influence{10, 1.0f}));
  EXPECT_EQ(merged.row_gradients(1)[0], glm::vec3(0.0f));
}

}  // namespace
}  // namespace pelt::surface_ffd
