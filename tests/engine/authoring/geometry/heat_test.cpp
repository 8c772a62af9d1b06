// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/heat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include <pelt/tools/weld.h>

namespace pelt {
namespace {

// A strip along x from 0 to 4, `count` squares long and `rows` of them wide.
struct Strip {
  explicit Strip(std::uint32_t count, std::uint32_t rows = 1) {
    for (std::uint32_t i = 0; i <= count; ++i) {
      for (std::uint32_t r = 0; r <= rows; ++r) {
        positions.emplace_back(
            4.0f * static_cast<float>(i) / static_cast<float>(count),
            rows == 1 ? 0.2f * static_cast<float>(r) : 4.0f * static_cast<float>(r) / static_cast<float>(count), 0);
        if (i == count || r == rows) continue;
        const std::uint32_t a = i * (rows + 1) + r;
        triangles.emplace_back(a, a + rows + 1, a + 1);
        triangles.emplace_back(a + 1, a + rows + 1, a + rows + 2);
      }
    }
  }
  std::vector<glm::vec3> positions;
  std::vector<glm::uvec3> triangles;
};

// One implicit step turns the sides of a step function into exp(-|x| / sqrt(spread)) / 2.
TEST(SurfaceHeat, MakesAStepAsWideWhateverTheTessellation) {
  for (const std::uint32_t count : {80u, 400u, 20000u}) {
    const Strip strip(count);
    const SurfaceHeat heat(strip.positions, strip.triangles, weld_by_position(strip.positions));
    std::vector<float> values;
    for (const glm::vec3& p : strip.positions) values.push_back(p.x < 2 ? 0.0f : 1.0f);
    heat.flow(std::vector<float>(values.size(), 0.09f), values);
    for (std::size_t v = 0; v < values.size(); ++v) {
      const float away = strip.positions[v].x - 2;
      if (std::abs(away) > 1.2f || std::abs(away) < 0.06f) continue;
      const float tail = 0.5f * std::exp(-std::abs(away) / 0.3f);
      EXPECT_NEAR(values[v], away < 0 ? tail : 1 - tail, 0.05) << count << ' ' << away;
    }
  }
}

TEST(SurfaceHeat, DoesNotFlowWhereNothingLetsIt) {
  const Strip strip(80);
  const SurfaceHeat heat(strip.positions, strip.triangles, weld_by_position(strip.positions));
  std::vector<float> values;
  std::vector<float> spread;
  for (const glm::vec3& p : strip.positions) {
    values.push_back(p.x < 2 ? 0.0f : 1.0f);
    spread.push_back(p.x < 2.2f ? 0.0f : 1.0f);
  }
  heat.flow(spread, values);
  for (std::size_t v = 0; v < values.size(); ++v) EXPECT_NEAR(values[v], strip.positions[v].x < 2 ? 0 : 1, 1e-4);
}

TEST(SurfaceHeat, FillsWhatIsNotKnownEvenly) {
  for (const auto& [count, rows] : {std::pair(80u, 1u), std::pair(400u, 80u)}) {
    const Strip strip(count, rows);
    const SurfaceHeat heat(strip.positions, strip.triangles, weld_by_position(strip.positions));
    std::vector<float> values;
    std::vector<std::uint8_t> known;
    for (const glm::vec3& p : strip.positions) {
      known.push_back(p.x > 1 && p.x < 3 ? SurfaceHeat::kUnknown : SurfaceHeat::kKnown);
      values.push_back(known.back() == SurfaceHeat::kKnown ? p.x : 2.5f);
    }
    heat.fill(known, {values});
    for (std::size_t v = 0; v < values.size(); ++v) EXPECT_NEAR(values[v], strip.positions[v].x, 0.015) << count;
  }
}

}  // namespace
}  // namespace pelt
