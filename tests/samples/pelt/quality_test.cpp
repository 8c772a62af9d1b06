// SPDX-License-Identifier: MIT
// Tests the figures of quality on shapes with known results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/builtin.h>
#include <pelt/evaluate.h>

#include "samples/pelt/quality/measure.h"
#include "tests/support/clip_joints.h"
#include "tests/support/driven.h"

namespace pelt {
namespace {

using samples::Quality;
using samples::QualityMeter;

using Points = std::vector<glm::dvec3>;
using Triangles = std::vector<glm::uvec3>;
using Move = std::function<glm::dvec3(const glm::dvec3&)>;

// A closed cylinder of radius 1 about +x from 0 to 8.
struct Cylinder {
  explicit Cylinder(std::uint32_t around = 64, std::uint32_t along = 32)
      : mesh(make_limb({.around = around, .along = along}).meshes.front()),
        rest(mesh.positions.begin(), mesh.positions.end()),
        meter(rest, mesh.triangles, glm::dvec3(0, 0, 0), glm::dvec3(8, 0, 0)) {}

  Quality measure(const Move& move) const {
    Points moved(rest.size());
    std::transform(rest.begin(), rest.end(), moved.begin(), move);
    return meter.measure(moved);
  }

  Mesh mesh;
  Points rest;
  QualityMeter meter;
};

// ------------------------------------------------------------------------------------------------------- the figures

void expect_rest_shape(const Quality& quality) {
  EXPECT_NEAR(quality.volume, 1, 1e-12);
  EXPECT_NEAR(quality.r_min, 1, 1e-12);
  EXPECT_EQ(quality.flipped, 0u);
  EXPECT_NEAR(quality.crease, 0, 1e-5);
  EXPECT_NEAR(quality.crease99, 0, 1e-5);
}

TEST(Quality, OfRestIsOne) {
  for (const std::uint32_t around : {3u, 5u, 64u}) {
    for (const std::uint32_t along : {1u, 2u, 31u}) {
      SCOPED_TRACE(testing::Message() << around << " around, " << along << " along");
      expect_rest_shape(Cylinder(around, along).measure([](const glm::dvec3& p) { return p; }));
    }
  }
}

TEST(Quality, SeesNoRigidMotion) {
  const glm::dmat4 turn = glm::rotate(glm::dmat4(1.0), 2.0, glm::dvec3(1, -2, 3));
  expect_rest_shape(Cylinder().measure(
      [&](const glm::dvec3& p) { return glm::dvec3(turn * glm::dvec4(p, 1)) + glm::dvec3(30, -20, 10); }));
}

TEST(Quality, SeesAFlattenedSection) {
  const Quality quality = Cylinder().measure([](const glm::dvec3& p) { return p * glm::dvec3(1, 0.5, 1); });
  EXPECT_NEAR(quality.volume, 0.5, 1e-12);
  // The nearest point of a section is the middle of a chord in the rest pose, and a vertex when flattened.
  EXPECT_NEAR(quality.r_min, 0.5, 2e-3);
  EXPECT_EQ(quality.flipped, 0u);
}

// One ring of vertices is pinched; a plane passes it by a millionth of the length: the figures are the least over
// sections.
TEST(Quality, FindsTheThinnestSection) {
  const Quality quality = Cylinder().measure(
      [](const glm::dvec3& p) { return std::abs(p.x - 4) < 1e-6 ? p * glm::dvec3(1, 0.25, 0.25) : p; });
  EXPECT_NEAR(quality.r_min, 0.25, 1e-4);
  EXPECT_LT(quality.volume, 1);
  EXPECT_GT(quality.crease, 45);
}

// If a plane also cuts other parts of a mesh, the section is the curve round the axis.
TEST(Quality, KeepsToTheLimb) {
  const Cylinder limb(16, 8);
  Points rest = limb.rest;
  Triangles triangles = limb.mesh.triangles;
  const auto count = static_cast<std::uint32_t>(rest.size());
  const glm::dvec3 aside(0, 5, 0);
  for (std::uint32_t i = 0; i < count; ++i) rest.push_back(rest[i] + aside);
  for (const glm::uvec3& t : limb.mesh.triangles) triangles.push_back(t + count);
  const QualityMeter meter(rest, triangles, glm::dvec3(0, 0, 0), glm::dvec3(8, 0, 0));
  for (std::uint32_t i = count; i < 2 * count; ++i) rest[i] = aside + 0.5 * (rest[i] - aside);
  const Quality quality = meter.measure(rest);
  EXPECT_NEAR(quality.r_min, 1, 1e-12);
  EXPECT_NEAR(quality.volume, (1 + 0.125) / 2, 1e-12);
}

// A vertex of the side that moves past its neighbour along the limb turns two of its six triangles over.
TEST(Quality, CountsFlippedTriangles) {
  const Cylinder limb;
  Points moved = limb.rest;
  const auto vertex = std::find_if(moved.begin(), moved.end(), [](const glm::dvec3& p) {
    return std::abs(p.x - 4) < 1e-6 && std::abs(p.y - 1) < 1e-6;
  });
  ASSERT_NE(vertex, moved.end());
  vertex->x += 1.5 * 8 / 32;
  const Quality quality = limb.meter.measure(moved);
  EXPECT_EQ(quality.flipped, 2u);
  EXPECT_GT(quality.crease, 175);
  EXPECT_LT(quality.crease99, 1);
}

// If the mesh is inside out, all of the side is flipped, and no cap counts.
TEST(Quality, CountsNoCaps) {
  const Quality quality = Cylinder(64, 32).measure([](const glm::dvec3& p) { return p * glm::dvec3(1, 1, -1); });
  EXPECT_EQ(quality.flipped, 2u * 64 * 32);
  EXPECT_NEAR(quality.volume, -1, 1e-12);
}

// The second half becomes a cone: edges at its first ring and at its rim change by the slope of its facets, all others
// much less.
TEST(Quality, MeasuresACrease) {
  const double slope = std::tan(glm::radians(10.0));
  const Move cone = [&](const glm::dvec3& p) {
    const double radius = 1 - slope * std::max(0.0, p.x - 4);
    return p * glm::dvec3(1, radius, radius);
  };
  const double facet = glm::degrees(std::atan(slope * std::cos(glm::pi<double>() / 64)));
  const Quality fine = Cylinder(64, 64).measure(cone);
  EXPECT_NEAR(fine.crease, facet, 1e-4);
  EXPECT_LT(fine.crease99, 1);  // two rings are fewer than 1 in 100 edges
  const Quality coarse = Cylinder(64, 4).measure(cone);
  EXPECT_NEAR(coarse.crease, facet, 1e-4);
  EXPECT_NEAR(coarse.crease99, facet, 1e-4);  // two rings are more than that here
}

// The same cone is a crease of the outer side only if its edges are on that side of the axis.
TEST(Quality, TellsTheOuterSide) {
  const double slope = std::tan(glm::radians(10.0));
  const Cylinder limb(64, 64);
  Points moved = limb.rest;
  for (glm::dvec3& p : moved) {
    const double radius = p.y > 0.1 ? 1 - slope * std::max(0.0, p.x - 4) : 1;
    p *= glm::dvec3(1, radius, radius);
  }
  EXPECT_FALSE(limb.meter.measure(moved).crease_out);
  const Quality up = limb.meter.measure(moved, glm::dvec3(0, 1, 0));
  const Quality down = limb.meter.measure(moved, glm::dvec3(0, -1, 0));
  ASSERT_TRUE(up.crease_out && down.crease_out);
  EXPECT_EQ(*up.crease_out, up.crease);
  EXPECT_GT(*up.crease_out, 9.9);
  EXPECT_LT(*down.crease_out, 1e-9);
}

// The built-in limb with its second bone turned about an axis.
Quality turned_limb(const std::string& deformer, const glm::dvec3& axis, double degrees) {
  const Model limb = make_limb();
  const Mesh& mesh = limb.meshes.front();
  std::vector<glm::mat4> joints = test::clip_joints(limb.skeleton, nullptr, 0);
  joints.back() *= glm::mat4(glm::rotate(glm::dmat4(1.0), glm::radians(degrees), axis));
  const std::vector<glm::vec3> positions = test::posed(test::bound_by(limb, deformer), joints, mesh.name);
  const Points rest(mesh.positions.begin(), mesh.positions.end());
  const QualityMeter meter(rest, mesh.triangles, glm::dvec3(0, 0, 0), glm::dvec3(8, 0, 0));
  return meter.measure(Points(positions.begin(), positions.end()));
}

// A surface that is made of the skin keeps the limb's sections, and folds no more of it than dual quaternion.
TEST(Quality, OfASurfaceMadeOfTheSkin) {
  struct Turn {
    glm::dvec3 axis;
    double degrees;
    double least;  // section
  };
  for (const Turn& turn : {Turn{{0, 0, 1}, 90, 0.95}, Turn{{0, 0, 1}, 135, 0.90}, Turn{{1, 0, 0}, 180, 0.90}}) {
    const Quality surface = turned_limb("hierarchical_bspline", turn.axis, turn.degrees);
    const Quality dual = turned_limb("dual_quaternion", turn.axis, turn.degrees);
    EXPECT_GE(surface.r_min, turn.least) << turn.degrees;
    EXPECT_LE(surface.flipped, dual.flipped) << turn.degrees;
    EXPECT_NEAR(surface.volume, 1, 0.06) << turn.degrees;
  }
}

}  // namespace
}  // namespace pelt
