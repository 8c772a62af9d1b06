// SPDX-License-Identifier: MIT
// Tests the cut to the strongest driver vertices (SurfaceFfdParameters::influences).
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <pelt/pack.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

// Points along a line inside of the cage of a tube, as near to it as skin is and far from both ends, and the weights of
// the driver vertices at each point.
class Influences : public testing::Test {
 protected:
  static constexpr std::size_t kPoints = 4096;

  Influences() {
    Mesh& tube = model_.meshes[0];
    for (std::size_t i = 0; i < tube.positions.size(); ++i) {
      const float along = static_cast<float>(i % kPoints) / static_cast<float>(kPoints);
      tube.positions[i] = glm::vec3(0.5f + along, 0.95f + 0.1f * along, 0.1f);
    }
  }

  using Row = std::map<std::uint32_t, double>;
  std::vector<Row> rows(std::optional<std::uint32_t> influences) {
    SurfaceFfdParameters parameters = test::by_cage();
    parameters.influences = influences;
    const Bound bound = test::bound(model_, test::rig_of(parameters, "tube"));
    for (const CharacterMesh& mesh : bound.character->meshes) {
      if (mesh.name != "tube") continue;
      const SparseRows packed = unpack_rows(mesh.binding);
      std::vector<Row> result(kPoints);
      for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
        if (mesh.source_vertex[v] >= kPoints) continue;
        for (const Influence& influence : packed.row(v))
          result[mesh.source_vertex[v]][influence.index] += influence.weight;
      }
      return result;
    }
    ADD_FAILURE() << "no tube";
    return {};
  }

  static double difference(const Row& a, const Row& b) {
    double sum = 0;
    for (const auto& [index, weight] : a) sum += std::abs(weight - (b.contains(index) ? b.at(index) : 0));
    for (const auto& [index, weight] : b) sum += a.contains(index) ? 0 : weight;
    return sum;
  }

  // Returns the strongest entries of each row as they are, with nothing subtracted.
  static std::vector<Row> cut_off(std::vector<Row> rows, std::size_t kept) {
    for (Row& row : rows) {
      while (row.size() > kept) {
        row.erase(
            std::min_element(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.second < b.second; }));
      }
      double sum = 0;
      for (const auto& [index, weight] : row) sum += weight;
      for (auto& [index, weight] : row) weight /= sum;
    }
    return rows;
  }

  static double largest_step(const std::vector<Row>& rows) {
    double largest = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) largest = std::max(largest, difference(rows[i], rows[i - 1]));
    return largest;
  }

  static std::size_t most(const std::vector<Row>& rows) {
    return std::max_element(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.size() < b.size(); })
        ->size();
  }

  Model model_ = test::make_tube_in_cage({.around = 64, .along = 64});
};

TEST_F(Influences, AreAsManyAsAsked) {
  const std::vector<Row> all = rows(0);
  EXPECT_GT(most(all), 10u);
  for (const std::uint32_t influences : {1u, 4u, 10u}) EXPECT_EQ(most(rows(influences)), influences);
  EXPECT_EQ(rows(1000), all);
  EXPECT_EQ(rows(std::nullopt), rows(8));
}

TEST_F(Influences, EndWithoutAJump) {
  const std::vector<Row> all = rows(0);
  for (const std::uint32_t influences : {4u, 7u}) {
    EXPECT_LT(largest_step(rows(influences)), 0.2 * largest_step(cut_off(all, influences))) << influences;
    EXPECT_LT(largest_step(rows(influences)), 8 * largest_step(all)) << influences;
  }
}

TEST_F(Influences, ThatStayWeighNearlyAsAmongAll) {
  const std::vector<Row> all = rows(0);
  const std::vector<Row> ten = rows(10);
  double worst = 0;
  for (std::size_t i = 0; i < all.size(); ++i) worst = std::max(worst, difference(all[i], ten[i]));
  EXPECT_LT(worst, 0.2);
  EXPECT_GT(worst, 0);
}

}  // namespace
}  // namespace pelt
