// SPDX-License-Identifier: MIT
#include "engine/hierarchical_bspline/surface.h"

#include <gtest/gtest.h>

namespace pelt::hierarchical_bspline {
namespace {

HierarchicalBsplineParameters plane() {
  HierarchicalBsplineParameters parameters;
  parameters.shape = {5, 6};
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 6; ++j) parameters.control.emplace_back(i, j, 0.1f * static_cast<float>(i * j % 3));
  }
  return parameters;
}

TEST(HierarchicalSurface, RefinementKeepsTheSurface) {
  HierarchicalBsplineParameters parameters = plane();
  parameters.levels.resize(3);
  const Result<Surface> surface = Surface::create(parameters, "layer");
  ASSERT_TRUE(surface) << surface.error().message;
  for (double u = 0; u <= 2; u += 0.23) {
    for (double v = 0; v <= 3; v += 0.31) {
      const glm::dvec3 coarse = surface->evaluate(0, {u, v}).position;
      EXPECT_LT(glm::distance(surface->evaluate(1, {2 * u, 2 * v}).position, coarse), 1e-12);
      EXPECT_LT(glm::distance(surface->evaluate(2, {4 * u, 4 * v}).position, coarse), 1e-12);
    }
  }
}

}  // namespace
}  // namespace pelt::hierarchical_bspline
