// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/limb_sizing.h"

#include <gtest/gtest.h>

#include "tests/support/tube.h"

namespace pelt::surface_ffd {
namespace {

// Triangles of edge e on a tube of radius r and length l: 2 pi r l / (sqrt(3)/4 e^2).
std::size_t triangles_at(float radius, float length, double edge) {
  return static_cast<std::size_t>(6.2832 * radius * length / (0.4330 * edge * edge));
}

TEST(LimbSizing, AsksForEdgesOfSevenTenthsOfTheRadius) {
  const Model thin = test::make_tube({.around = 32, .along = 256, .radius = 0.2f});
  const LimbSizing sizing = limb_sizing(thin.meshes[0], 200, thin);
  EXPECT_NEAR(static_cast<double>(sizing.triangles), static_cast<double>(triangles_at(0.2f, 8, 0.14)),
              0.05 * static_cast<double>(sizing.triangles));
}

TEST(LimbSizing, AsksForNoMoreThanFourTimesAsMany) {
  const Model thin = test::make_tube({.around = 32, .along = 256, .radius = 0.02f});
  EXPECT_EQ(limb_sizing(thin.meshes[0], 200, thin).triangles, 800u);
}

TEST(LimbSizing, LeavesWhatIsFineAlready) {
  const Model thick = test::make_tube({.around = 32, .along = 64, .radius = 1});
  const LimbSizing sizing = limb_sizing(thick.meshes[0], 2000, thick);
  EXPECT_EQ(sizing.triangles, 2000u);
  for (const float density : sizing.density) EXPECT_EQ(density, 1);
}

TEST(LimbSizing, OfASkinWithoutWeightsIsWhatIsAsked) {
  Model tube = test::make_tube({.radius = 0.1f});
  tube.meshes[0].weights = {};
  EXPECT_EQ(limb_sizing(tube.meshes[0], 50, tube).triangles, 50u);
}

}  // namespace
}  // namespace pelt::surface_ffd
