// SPDX-License-Identifier: MIT
// Tests closest places against a search through the whole surface.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "engine/authoring/hierarchical_bspline/skin_locator.h"
#include "tests/support/must.h"
#include "tests/support/tube_surface.h"

namespace pelt::hierarchical_bspline {
namespace {

// A sheet in which waves run askew, so that its tangents are neither of one length nor at right angles.
HierarchicalBsplineParameters waves() {
  HierarchicalBsplineParameters parameters;
  parameters.shape = {9, 6};
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 6; ++j) {
      const auto u = static_cast<float>(i);
      const auto v = static_cast<float>(j);
      parameters.control.emplace_back(u + 0.5f * v, 2 * v, std::sin(1.3f * u) + 0.4f * std::cos(v));
    }
  }
  parameters.levels.resize(2);
  parameters.levels[1].offsets = {{5 * 9 + 4, {0, 0.1f, 0.3f}}};
  return parameters;
}

HierarchicalBsplineParameters dented_tube() {
  HierarchicalBsplineParameters parameters = test::tube_surface();
  test::add_overlays(parameters);
  return parameters;
}

// No sample of the surface is nearer, and within the surface the way to the point is at right angles to it.
TEST(ClosestParameters, AreNoFartherThanAnySample) {
  constexpr double kSamplesPerSpan = 6;
  for (const HierarchicalBsplineParameters& parameters : {waves(), dented_tube()}) {
    const Surface surface = test::must(Surface::create(parameters, "layer"));
    const std::uint32_t finest = surface.finest();
    const glm::dvec2 spans(surface.grid()->grid(finest).along[0].spans(),
                           surface.grid()->grid(finest).along[1].spans());
    std::vector<glm::dvec3> samples;
    for (double u = 0; u <= spans.x; u += 1 / kSamplesPerSpan) {
      for (double v = 0; v <= spans.y; v += 1 / kSamplesPerSpan) {
        samples.push_back(surface.evaluate(finest, {u, v}).position);
      }
    }
    std::mt19937 random(7);
    const auto part = [&] { return static_cast<double>(random()) / double{std::mt19937::max()}; };
    const auto parts = [&](auto vector) {
      for (int d = decltype(vector)::length() - 1; d >= 0; --d) vector[d] = part();
      return vector;
    };
    std::vector<glm::vec3> points;
    for (int i = 0; i < 200; ++i) {
      const SurfacePoint under = surface.evaluate(finest, spans * (1.2 * parts(glm::dvec2()) - 0.1));
      const glm::dvec3 aside = 0.5 * parts(glm::dvec3()) - 0.25;  // beyond open ends too, and far outside
      points.emplace_back(under.position + (i % 2 == 0 ? 0.6 * part() - 0.3 : -2.5 * part()) * under.axes()[2] + aside);
    }
    const std::vector<glm::dvec2> places = test::must(closest_parameters(surface, points, 1));
    ASSERT_EQ(places.size(), points.size());
    EXPECT_EQ(places, test::must(closest_parameters(surface, points, 2)));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const SurfacePoint place = surface.evaluate(finest, places[i]);
      const glm::dvec3 away = glm::dvec3(points[i]) - place.position;
      double nearest = std::numeric_limits<double>::infinity();
      for (const glm::dvec3& sample : samples)
        nearest = std::min(nearest, glm::distance(sample, glm::dvec3(points[i])));
      const bool is_near = i % 2 == 0;
      EXPECT_LE(glm::length(away), nearest + (is_near ? 1e-6 : 5e-3)) << i;
      bool within = is_near;
      for (int d = 0; d < 2; ++d) {
        const Direction& direction = surface.grid()->grid(finest).along[d];
        ASSERT_TRUE(places[i][d] >= 0 && places[i][d] <= spans[d]) << i;
        ASSERT_TRUE(!direction.closed || places[i][d] < spans[d]) << i;
        within = within && (direction.closed || (places[i][d] > 0 && places[i][d] < spans[d]));
      }
      if (!within) continue;
      EXPECT_NEAR(glm::dot(away, glm::normalize(place.tangent_u)), 0, 1e-5) << i;
      EXPECT_NEAR(glm::dot(away, glm::normalize(place.tangent_v)), 0, 1e-5) << i;
    }
  }
}

}  // namespace
}  // namespace pelt::hierarchical_bspline
