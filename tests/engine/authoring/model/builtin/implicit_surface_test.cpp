// SPDX-License-Identifier: MIT
#include "engine/authoring/model/builtin/implicit_surface.h"

#include <cmath>

namespace pelt {
namespace {

const glm::vec3 kPoints[] = {{0.3f, 0.1f, -0.2f}, {-0.1f, 0.4f, 0.05f}, {0.02f, -0.3f, 0.2f}, {0.2f, 0.2f, 0.2f}};

// Steps along the gradient from `p` to the surface.
glm::vec3 project(const Shape& shape, glm::vec3 p) {
  for (int i = 0; i < 20; ++i) {
    const FieldSample s = std::visit([&](const auto& v) { return sample(v, p); }, shape);
    p -= s.gradient * s.distance;
  }
  return p;
}

// Expects that, at the surface, the given gradient is that of the values, as for a distance.
void expect_exact_gradient_on_surface(const Shape& shape) {
  constexpr float kStep = 1e-3f;
  const auto value = [&](const glm::vec3& p) {
    return std::visit([&](const auto& v) { return sample(v, p).distance; }, shape);
  };
  for (const glm::vec3& start : kPoints) {
    const glm::vec3 p = project(shape, start);
    ASSERT_NEAR(value(p), 0.0f, 1e-5f);
    const glm::vec3 gradient = std::visit([&](const auto& v) { return sample(v, p).gradient; }, shape);
    for (int axis = 0; axis < 3; ++axis) {
      glm::vec3 step(0.0f);
      step[axis] = kStep;
      EXPECT_NEAR(gradient[axis], (value(p + step) - value(p - step)) / (2.0f * kStep), 0.02f);
    }
  }
}

TEST(ImplicitSurface, BallsAreExact) {
  const Ellipsoid ball{.centre = {0.1f, 0.0f, 0.0f}, .radii = glm::vec3(0.2f)};
  const Capsule capsule{{0.1f, 0.0f, 0.0f}, 0.2f, {0.1f, 0.0f, 0.0f}, 0.2f};
  for (const glm::vec3& p : kPoints) {
    const float distance = glm::distance(p, ball.centre) - 0.2f;
    EXPECT_NEAR(sample(ball, p).distance, distance, 1e-6f);
    EXPECT_NEAR(sample(capsule, p).distance, distance, 1e-6f);
  }
}

TEST(ImplicitSurface, GradientsAreThoseOfTheValues) {
  const glm::mat3 turned(glm::vec3(0.6f, 0.8f, 0.0f), glm::vec3(-0.8f, 0.6f, 0.0f), glm::vec3(0.0f, 0.0f, 1.0f));
  expect_exact_gradient_on_surface(
      Ellipsoid{.centre = {0.05f, 0.0f, 0.0f}, .radii = {0.1f, 0.2f, 0.15f}, .axes = turned});
  expect_exact_gradient_on_surface(Capsule{{0.0f, -0.2f, 0.0f}, 0.1f, {0.1f, 0.2f, 0.0f}, 0.06f});
  for (float exponent : {2.0f, 2.5f}) {
    expect_exact_gradient_on_surface(Loft{.exponent = exponent,
                                          .rim = 0.02f,
                                          .sections = {{-1.0f, -0.10f, 0.10f, -0.10f, 0.12f},
                                                       {0.0f, -0.14f, 0.12f, -0.11f, 0.10f},
                                                       {1.0f, -0.08f, 0.10f, -0.07f, 0.09f}}});
  }
}

TEST(ImplicitSurface, LoftsPassThroughTheirSections) {
  const Loft loft{.sections = {{0.0f, -0.1f, 0.1f, -0.1f, 0.1f},
                               {0.5f, -0.2f, 0.3f, -0.1f, 0.4f},
                               {1.0f, -0.1f, 0.1f, -0.1f, 0.1f}}};
  EXPECT_NEAR(sample(loft, {0.3f, 0.5f, 0.15f}).distance, 0.0f, 1e-6f);
  EXPECT_NEAR(sample(loft, {0.05f, 0.5f, 0.4f}).distance, 0.0f, 1e-6f);
  EXPECT_LT(sample(loft, {0.05f, 0.5f, 0.15f}).distance, 0.0f);
  EXPECT_GT(sample(loft, {0.0f, 1.1f, 0.0f}).distance, 0.05f);
}

TEST(ImplicitSurface, SeamsEndWhereTheyPromise) {
  const FieldSample a{0.10f, {1, 0, 0}}, far{0.21f, {0, 1, 0}}, near{0.10f, {0, 1, 0}};
  EXPECT_EQ(smooth_union(a, far, 0.1f).distance, 0.10f);
  EXPECT_NEAR(smooth_union(a, near, 0.1f).distance, 0.10f - 0.1f / 6.0f, 1e-6f);
  EXPECT_EQ(smooth_union(a, near, 0.1f).gradient, glm::vec3(0.5f, 0.5f, 0.0f));
  EXPECT_EQ(smooth_difference({-0.4f, {1, 0, 0}}, far, 0.1f).distance, -0.21f);
}

TEST(ImplicitSurface, PairsAreSymmetricAndSkippingShapesChangesNothing) {
  ImplicitSurface surface;
  surface.add(Ellipsoid{.centre = glm::vec3(0.0f), .radii = glm::vec3(0.2f)}, 0.05f);
  surface.add_pair(Capsule{{0.1f, 0.0f, 0.0f}, 0.08f, {0.4f, 0.2f, 0.1f}, 0.05f}, 0.05f);
  surface.carve_pair(Ellipsoid{.centre = {0.1f, 0.0f, 0.2f}, .radii = glm::vec3(0.05f)}, 0.02f);
  for (const glm::vec3& p : kPoints) {
    EXPECT_NEAR(surface.sample(p).distance, surface.sample(p * glm::vec3(-1, 1, 1)).distance, 1e-6f);
  }
  // Computed by hand, without bounds.
  const glm::vec3 p(0.12f, 0.02f, 0.16f);
  FieldSample expected = sample(Ellipsoid{.centre = glm::vec3(0.0f), .radii = glm::vec3(0.2f)}, p);
  expected = smooth_union(expected, sample(Capsule{{0.1f, 0.0f, 0.0f}, 0.08f, {0.4f, 0.2f, 0.1f}, 0.05f}, p), 0.05f);
  expected =
      smooth_difference(expected, sample(Ellipsoid{.centre = {0.1f, 0.0f, 0.2f}, .radii = glm::vec3(0.05f)}, p), 0.02f);
  EXPECT_NEAR(surface.sample(p).distance, expected.distance, 1e-3f);
}

}  // namespace
}  // namespace pelt
