// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "engine/authoring/mos/strategies.h"
#include "tests/engine/authoring/mos/scattered.h"
#include "tests/support/refused.h"

namespace pelt::mos {
namespace {

using Faces = std::vector<std::vector<std::uint32_t>>;

struct Cage {
  std::vector<glm::dvec3> points;
  Faces faces;
};

Cage cube() {
  Cage cage;
  for (int i = 0; i < 8; ++i) cage.points.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  cage.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return cage;
}

// Returns a flat sheet of quads, from 0 to count in x and y.
Cage sheet(std::uint32_t count) {
  Cage cage;
  for (std::uint32_t y = 0; y <= count; ++y) {
    for (std::uint32_t x = 0; x <= count; ++x) cage.points.emplace_back(x, y, 0);
  }
  for (std::uint32_t y = 0; y < count; ++y) {
    for (std::uint32_t x = 0; x < count; ++x) {
      const std::uint32_t at = y * (count + 1) + x;
      cage.faces.push_back({at, at + 1, at + count + 2, at + count + 1});
    }
  }
  return cage;
}

// Returns an uneven tube round the x axis with a polygon at either end: points of valence 3, faces of `around` corners.
Cage tube(std::uint32_t around, std::uint32_t along) {
  Cage cage;
  for (std::uint32_t k = 0; k < along; ++k) {
    for (std::uint32_t i = 0; i < around; ++i) {
      const double angle = 2 * 3.14159265358979 * i / around;
      const double radius = 0.5 + 0.2 * std::sin(1.7 * k) + 0.1 * std::cos(2 * angle);
      cage.points.emplace_back(0.6 * k, radius * std::cos(angle), radius * std::sin(angle) + 0.1 * k * k / along);
    }
  }
  for (std::uint32_t k = 0; k + 1 < along; ++k) {
    for (std::uint32_t i = 0; i < around; ++i) {
      const std::uint32_t next = (i + 1) % around;
      cage.faces.push_back({k * around + i, k * around + next, (k + 1) * around + next, (k + 1) * around + i});
    }
  }
  std::vector<std::uint32_t> near;
  std::vector<std::uint32_t> far;
  for (std::uint32_t i = 0; i < around; ++i) {
    near.push_back(around - 1 - i);
    far.push_back((along - 1) * around + i);
  }
  cage.faces.push_back(near);
  cage.faces.push_back(far);
  return cage;
}

CageSurface surface_of(const Cage& cage) {
  auto surface = CageSurface::create(cage.points, cage.faces);
  if (!surface) throw std::runtime_error(surface.error().message);
  return *surface;
}

std::vector<double> cage_weights(const CageSurface& surface, const Cage& cage, glm::dvec3 place) {
  std::vector<WeightedElement> row{{99, 5.0}};  // to be replaced
  surface.weights(place, row);
  std::vector<double> weights(cage.points.size(), 0.0);
  for (const WeightedElement& element : row) {
    EXPECT_EQ(weights.at(element.index), 0.0) << "an index twice";
    weights[element.index] = element.weight;
  }
  return weights;
}

glm::dvec3 closest_to(const CageSurface& surface, const Cage& cage, glm::dvec3 place) {
  const std::vector<double> weights = cage_weights(surface, cage, place);
  glm::dvec3 position(0.0);
  for (std::size_t j = 0; j < weights.size(); ++j) position += weights[j] * cage.points[j];
  return position;
}

std::vector<glm::dvec3> places_about(const Cage& cage, int count) {
  std::mt19937 random(11);
  const auto share = [&] { return static_cast<double>(random()) / 4294967296.0; };
  glm::dvec3 low = cage.points[0];
  glm::dvec3 high = cage.points[0];
  for (const glm::dvec3& point : cage.points) {
    low = glm::min(low, point);
    high = glm::max(high, point);
  }
  std::vector<glm::dvec3> places;
  for (int i = 0; i < count; ++i) {
    places.push_back(glm::mix(low - 0.5, high + 0.5, glm::dvec3(share(), share(), share())));
  }
  return places;
}

TEST(CageSurface, WeightsSumToOneAndAreNotNegative) {
  for (const Cage& cage : {cube(), sheet(3), tube(4, 5), tube(7, 4), tube(3, 2)}) {
    const CageSurface surface = surface_of(cage);
    for (const glm::dvec3 place : places_about(cage, 200)) {
      double sum = 0;
      for (const double weight : cage_weights(surface, cage, place)) {
        EXPECT_GE(weight, -1e-12);
        sum += weight;
      }
      EXPECT_NEAR(sum, 1, 1e-9);
    }
  }
}

TEST(CageSurface, KnowsTheLimitOfACube) {
  const Cage cage = cube();
  const CageSurface surface = surface_of(cage);
  // A corner has valence 3: (9 v + 4 sum of edge neighbours + sum of face neighbours) / 24.
  const std::vector<double> weights = cage_weights(surface, cage, {5, 5, 5});
  const std::vector<double> expected{0, 1.0 / 24, 1.0 / 24, 4.0 / 24, 1.0 / 24, 4.0 / 24, 4.0 / 24, 9.0 / 24};
  for (std::size_t j = 0; j < 8; ++j) EXPECT_NEAR(weights[j], expected[j], 1e-9) << j;
  // After one step the middle of a face has valence 4 and is at 1; its edge neighbours are at 3/4 (the mean of two
  // points and two face points), its corners at 5/9. So the limit is (16 + 4 * 4 * 3/4 + 4 * 5/9) / 36.
  const glm::dvec3 top = closest_to(surface, cage, {0, 0, 5});
  EXPECT_NEAR(top.x, 0, 1e-9);
  EXPECT_NEAR(top.y, 0, 1e-9);
  EXPECT_NEAR(top.z, (16 + 12 + 20.0 / 9) / 36, 1e-9);
}

TEST(CageSurface, SpansAnOpenCage) {
  const Cage cage = sheet(3);
  const CageSurface surface = surface_of(cage);
  for (const std::uint32_t corner : {0u, 3u, 12u, 15u}) {
    const std::vector<double> weights = cage_weights(surface, cage, cage.points[corner]);
    for (std::size_t j = 0; j < 16; ++j) EXPECT_NEAR(weights[j], j == corner ? 1 : 0, 1e-9);
  }
  for (const glm::dvec3 place : places_about(cage, 300)) {
    const glm::dvec3 found = closest_to(surface, cage, place);
    const glm::dvec3 expected(glm::clamp(glm::dvec2(place), 0.0, 3.0), 0.0);
    EXPECT_LT(glm::distance(found, expected), 1e-7) << place.x << ' ' << place.y << ' ' << place.z;
  }
}

// A point that was found lies on the surface, and none that others found is closer.
TEST(CageSurface, FindsTheClosestPointOfAll) {
  for (const Cage& cage : {cube(), tube(4, 5), tube(7, 4)}) {
    const CageSurface surface = surface_of(cage);
    const std::vector<glm::dvec3> places = places_about(cage, 300);
    std::vector<glm::dvec3> found;
    for (const glm::dvec3& place : places) found.push_back(closest_to(surface, cage, place));
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_LT(glm::distance(found[i], closest_to(surface, cage, found[i])), 2e-5);
      for (const glm::dvec3& other : found) {
        ASSERT_LT(glm::distance(places[i], found[i]), glm::distance(places[i], other) + 1e-5);
      }
    }
  }
}

// Outside a cage, and beyond the border of a sheet: the closest point stays on the border.
TEST(CageSurface, HasTheGradientsOfItsWeights) {
  const auto expect = [](const Cage& cage, glm::dvec3 place) {
    const CageSurface surface = surface_of(cage);
    expect_gradients(place, cage.points.size(), 1e-4,
                     [&](glm::dvec3 at, std::vector<WeightedElement>& row) { surface.weights(at, row); });
  };
  expect(cube(), {0.9, -0.7, 0.8});
  expect(tube(7, 4), {0.5, 1.3, 0.2});
  expect(sheet(4), {2.2, 1.4, 0.7});
  expect(sheet(4), {5.5, 1.4, 0.7});
}

TEST(CageSurface, FollowsEveryMotionAndUnit) {
  const Cage cage = tube(5, 4);
  const CageSurface surface = surface_of(cage);
  const double c = std::cos(0.7);
  const double s = std::sin(0.7);
  for (const double unit : {1e-4, 1.0, 1e6}) {
    const auto moved = [&](glm::dvec3 p) {
      return unit * glm::dvec3(c * p.x - s * p.y + 3, s * p.x + c * p.y - 1, p.z + 2);
    };
    Cage other = cage;
    for (glm::dvec3& point : other.points) point = moved(point);
    const CageSurface other_surface = surface_of(other);
    for (const glm::dvec3 place : places_about(cage, 50)) {
      const glm::dvec3 expected = moved(closest_to(surface, cage, place));
      EXPECT_LT(glm::distance(closest_to(other_surface, other, moved(place)), expected), 1e-6 * unit);
    }
  }
}

// Outside of a convex surface the closest point moves less than the query point.
TEST(CageSurface, DoesNotJumpOutsideAConvexCage) {
  const Cage cage = cube();
  const CageSurface surface = surface_of(cage);
  glm::dvec3 before(0.0);
  constexpr int kSteps = 2000;
  for (int i = 0; i <= kSteps; ++i) {
    const glm::dvec3 now = closest_to(surface, cage, {-3 + 6.0 * i / kSteps, 2, 0.3 + 1.0 * i / kSteps});
    if (i > 0) {
      EXPECT_LT(glm::distance(before, now), 6.1 / kSteps + 1e-5);
    }
    before = now;
  }
}

TEST(CageSurface, TakesEveryShapeOfCage) {
  const std::vector<glm::dvec3> points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 1}, {2, 1, 0}, {5, 5, 5}};
  const std::vector<Faces> cages{
      {{0, 1, 2}},                       // one triangle
      {{0, 1, 2, 3}},                    // one quad
      {{0, 1, 4, 5, 2, 3}},              // one hexagon
      {{0, 1, 2, 3}, {2, 5, 4}},         // two that touch at a point
      {{0, 1, 3}, {2, 4, 5}},            // two apart
      {{0, 1, 2, 3}, {3, 2, 1, 0}},      // back to back
      {{0, 1, 2}, {0, 2, 3}, {1, 4, 2}}  // a point of each valence
  };
  for (const Faces& faces : cages) {
    const Cage cage{points, faces};
    const auto surface = CageSurface::create(points, faces);
    ASSERT_TRUE(surface) << surface.error().message;
    for (const glm::dvec3 place : places_about(cage, 20)) {
      double sum = 0;
      const std::vector<double> weights = cage_weights(*surface, cage, place);
      for (const double weight : weights) sum += weight;
      EXPECT_NEAR(sum, 1, 1e-9);
      EXPECT_EQ(weights[6], 0);  // a point of no face
    }
  }
  // Coincident points, and faces without area.
  const Cage collapsed{std::vector<glm::dvec3>(7, glm::dvec3(1, 2, 3)), cages[6]};
  const Cage line{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, {{0, 1, 2, 3}}};
  for (const Cage& cage : {collapsed, line}) {
    double sum = 0;
    for (const double weight : cage_weights(surface_of(cage), cage, {0.2, 1, 1})) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(CageSurface, RefusesWhatIsNoSurface) {
  const std::pair<Faces, const char*> cases[] = {
      {{}, "there is no face"},
      {{{0, 1}}, "face 0 has 2 corners, but 3 to 1000 are allowed"},
      {{std::vector<std::uint32_t>(1001, 0)}, "face 0 has 1001 corners, but 3 to 1000 are allowed"},
      {{{0, 1, 2}, {3, 4, 6}}, "face 1 has the point 6, but there are 6"},
      {{{0, 1, 2}, {3, 4, 3, 5}}, "face 1 has the point 3 twice"},
      {{{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}, "the edge from point 0 to 1 belongs to more than two faces: 0, 1 and 2"},
      {{{0, 1, 2}, {0, 1, 3}}, "the faces 0 and 1 wind in opposite directions at the edge from point 0 to 1"}};
  const std::vector<glm::dvec3> points(6, glm::dvec3(0.0));
  for (const auto& [faces, why] : cases) {
    EXPECT_TRUE(
        test::refused(CageSurface::create(points, faces), ErrorCode::kInvalidArgument, std::string("cage: ") + why));
  }
}

}  // namespace
}  // namespace pelt::mos
