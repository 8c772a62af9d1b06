// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/from_skin/limb_sizing.h"

#include <gtest/gtest.h>

#include "tests/support/tube.h"

namespace pelt::from_skin {
namespace {

TEST(LimbSizing, AsksForEdgesOfSevenTenthsOfTheRadius) {
  const Model thin = test::make_tube({.around = 32, .along = 256, .radius = 0.2f});
  const Mesh& mesh = thin.meshes[0];
  const LimbSizing sizing = limb_sizing(mesh, 200, 0.7, thin);
  const double evenly = 6.2832 * 0.2 * 8 / (0.4330 * 200);  // squared edge length of 200 even triangles
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (mesh.positions[v].x < 4) {
      EXPECT_NEAR(sizing.density[v], evenly / (0.14 * 0.14), 0.15) << v;
    }
  }
  EXPECT_GT(sizing.triangles, 600u);
}

TEST(LimbSizing, AsksForNoMoreThanFourTimesAsMany) {
  const Model thin = test::make_tube({.around = 32, .along = 256, .radius = 0.02f});
  EXPECT_EQ(limb_sizing(thin.meshes[0], 200, 0.7, thin).triangles, 800u);
}

TEST(LimbSizing, LeavesWhatIsFineAlready) {
  const Model thick = test::make_tube({.around = 32, .along = 64, .radius = 1});
  const LimbSizing sizing = limb_sizing(thick.meshes[0], 2000, 0.7, thick);
  EXPECT_EQ(sizing.triangles, 2000u);
  for (const float density : sizing.density) EXPECT_EQ(density, 1);
}

TEST(LimbSizing, OfASkinWithoutWeightsIsWhatIsAsked) {
  Model tube = test::make_tube({.radius = 0.1f});
  tube.meshes[0].weights = {};
  EXPECT_EQ(limb_sizing(tube.meshes[0], 50, 0.7, tube).triangles, 50u);
}

}  // namespace
}  // namespace pelt::from_skin
