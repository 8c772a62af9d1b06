// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/bspline_patch.h"

#include <cmath>
#include <limits>

#include <pelt/tools/area.h>

namespace pelt::surface_ffd {
namespace {

// Returns a patch of 6 x 5 control vertices of degrees 3 and 2: clamped, uneven and doubled knots along u, unclamped
// along v.
BsplinePatch patch() {
  BsplinePatch result{.count_u = 6, .count_v = 5, .degree_u = 3, .degree_v = 2};
  result.knots_u = {0, 0, 0, 0, 1, 1, 2.5, 2.5, 2.5, 2.5};
  result.knots_v = {-2, -1, 0, 0.5, 1, 2, 3, 4};
  for (std::uint32_t i = 0; i < 6; ++i) {
    for (std::uint32_t j = 0; j < 5; ++j) {
      result.control.emplace_back(i, j, std::sin(1.3f * static_cast<float>(i) + 0.7f * static_cast<float>(j)));
    }
  }
  return result;
}

BsplinePatch rational_patch() {
  BsplinePatch result = patch();
  for (std::size_t i = 0; i < result.control.size(); ++i) {
    result.weights.push_back(0.3 + 0.4 * static_cast<double>(i % 7));
  }
  return result;
}

std::vector<glm::dvec2> places() {
  std::vector<glm::dvec2> result;
  for (const double u : {0.0, 0.3, 1.0, 1.7, 2.5}) {
    for (const double v : {0.0, 0.2, 0.5, 1.1, 2.0}) result.emplace_back(u, v);
  }
  return result;
}

std::string error_of(const BsplinePatch& patch) {
  const Result<void> valid = validate(patch, "patch 'belly'");
  return valid ? "valid" : valid.error().message;
}

TEST(BsplinePatch, WhatBreaksItIsNamed) {
  EXPECT_THAT(error_of({}), testing::HasSubstr("0 control vertices in u"));
  EXPECT_EQ(error_of(patch()), "valid");
  EXPECT_EQ(error_of(rational_patch()), "valid");
  const auto broken = [](auto change) {
    BsplinePatch result = rational_patch();
    change(result);
    return error_of(result);
  };
  using testing::HasSubstr;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(broken([](BsplinePatch& p) { p.degree_u = 0; }), HasSubstr("patch 'belly': the degree in u is 0"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.degree_v = 9; }), HasSubstr("the degree in v is 9"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.count_v = 2; }), HasSubstr("2 control vertices in v are too few"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.count_v = 0xffffffffu; }),
              HasSubstr("8 knots in v; there must be 4294967298"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.knots_u.pop_back(); }), HasSubstr("9 knots in u; there must be 10"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.knots_v[3] = -1; }), HasSubstr("knot 3 in v descends"));
  EXPECT_THAT(broken([=](BsplinePatch& p) { p.knots_v[3] = nan; }), HasSubstr("knot 3 in v is nan"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.knots_u[9] = 1e10; }), HasSubstr("knot 9 in u"));
  const auto linear_in_u = [&](const std::vector<double>& knots) {
    return broken([&](BsplinePatch& p) {
      p.degree_u = 1;
      p.knots_u = knots;
    });
  };
  EXPECT_EQ(linear_in_u({0, 0, 1, 2, 2.5, 3, 4, 4}), "valid");
  EXPECT_THAT(linear_in_u({0, 0, 1, 1, 2, 3, 4, 4}), HasSubstr("knot 3 in u repeats too often for degree 1"));
  EXPECT_THAT(linear_in_u({0, 0, 0, 1, 2, 3, 4, 4}), HasSubstr("knot 2 in u repeats too often"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.knots_v[4] = 0.5 + 1e-12; }), HasSubstr("too close"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.knots_u.assign(10, 1); }), HasSubstr("are equal"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.control.pop_back(); }),
              HasSubstr("29 control vertices; there must be 6 x 5"));
  EXPECT_THAT(broken([=](BsplinePatch& p) { p.control[7].y = static_cast<float>(nan); }),
              HasSubstr("control vertex 7"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.control[7].y = -1e16f; }), HasSubstr("control vertex 7"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.weights.pop_back(); }), HasSubstr("29 weights"));
  EXPECT_THAT(broken([](BsplinePatch& p) { p.weights[4] = 0; }), HasSubstr("weight 4 is 0"));
  EXPECT_THAT(broken([=](BsplinePatch& p) { p.weights[4] = nan; }), HasSubstr("weight 4 is nan"));
}

TEST(BsplinePatch, TheBasisSumsToOneAndItsDerivativesToZero) {
  for (const BsplinePatch& p : {patch(), rational_patch()}) {
    for (const glm::dvec2 uv : places()) {
      const std::vector<PatchBasis> row = basis(p, uv);
      ASSERT_EQ(row.size(), 12u);
      glm::dvec3 sum(0);
      for (std::size_t i = 0; i < row.size(); ++i) {
        EXPECT_GE(row[i].r, 0);
        EXPECT_LT(row[i].control, p.control.size());
        if (i > 0) {
          EXPECT_GT(row[i].control, row[i - 1].control);
        }
        sum += glm::dvec3(row[i].r, row[i].r_u, row[i].r_v);
      }
      EXPECT_LT(glm::distance(sum, glm::dvec3(1, 0, 0)), 1e-12);
    }
  }
}

TEST(BsplinePatch, DerivativesAreThoseOfDifferences) {
  constexpr double kStep = 1e-7;
  for (const BsplinePatch& p : {patch(), rational_patch()}) {
    for (const glm::dvec2 uv : places()) {
      const PatchPoint point = evaluate(p, uv);
      // Derivatives are those of the side above, at the end of the domain those of the side below.
      const double du = uv.x < 2.5 ? kStep : -kStep;
      const double dv = uv.y < 2 ? kStep : -kStep;
      const glm::dvec3 by_u = (evaluate(p, uv + glm::dvec2(du, 0)).position - point.position) / du;
      const glm::dvec3 by_v = (evaluate(p, uv + glm::dvec2(0, dv)).position - point.position) / dv;
      EXPECT_LT(glm::distance(point.tangent_u, by_u), 1e-4) << uv.x << " " << uv.y;
      EXPECT_LT(glm::distance(point.tangent_v, by_v), 1e-4) << uv.x << " " << uv.y;
    }
  }
}

TEST(BsplinePatch, ReachesItsCornersWhereKnotsAreClamped) {
  const BsplinePatch p{.count_u = 2,
                       .count_v = 3,
                       .degree_u = 1,
                       .degree_v = 2,
                       .knots_u = {0, 0, 1, 1},
                       .knots_v = {0, 0, 0, 1, 1, 1},
                       .control = {{0, 0, 0}, {0, 1, 1}, {0, 2, 0}, {1, 0, 0}, {1, 1, 1}, {1, 2, 0}},
                       .weights = {}};
  ASSERT_TRUE(validate(p, "patch"));
  EXPECT_EQ(evaluate(p, {0, 0}).position, glm::dvec3(0, 0, 0));
  EXPECT_EQ(evaluate(p, {1, 1}).position, glm::dvec3(1, 2, 0));
  EXPECT_EQ(evaluate(p, {7, -7}).position, glm::dvec3(1, 0, 0)) << "clamped to the domain";
  EXPECT_EQ(evaluate(p, {0.5, 0.5}).position, glm::dvec3(0.5, 1, 0.5));
}

// A quarter of a circle of radius 2 (The NURBS Book, section 7.3), extruded.
TEST(BsplinePatch, WeightsMakeCircles) {
  const double w = std::sqrt(0.5);
  const BsplinePatch p{.count_u = 3,
                       .count_v = 2,
                       .degree_u = 2,
                       .degree_v = 1,
                       .knots_u = {0, 0, 0, 1, 1, 1},
                       .knots_v = {0, 0, 1, 1},
                       .control = {{2, 0, 0}, {2, 0, 1}, {2, 2, 0}, {2, 2, 1}, {0, 2, 0}, {0, 2, 1}},
                       .weights = {1, 1, w, w, 1, 1}};
  ASSERT_TRUE(validate(p, "patch"));
  for (const double u : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    const PatchPoint point = evaluate(p, {u, 0.5});
    EXPECT_NEAR(glm::length(glm::dvec2(point.position)), 2, 1e-12);
    EXPECT_NEAR(glm::dot(glm::dvec2(point.position), glm::dvec2(point.tangent_u)), 0, 1e-12);
    EXPECT_LT(glm::distance(point.tangent_v, glm::dvec3(0, 0, 1)), 1e-12);
  }
}

TEST(BsplinePatch, SamplesAreEvenBetweenTheDifferentKnotsOfTheDomain) {
  EXPECT_THAT(domain_knots_u(patch()), testing::ElementsAre(0, 1, 2.5));
  EXPECT_THAT(domain_knots_v(patch()), testing::ElementsAre(0, 0.5, 1, 2));
  BsplinePatch p = patch();
  const std::vector<glm::dvec2> samples = patch_samples(p).uvs;
  ASSERT_EQ(samples.size(), 12u);
  EXPECT_EQ(samples[1], glm::dvec2(0, 0.5));
  EXPECT_EQ(samples[4], glm::dvec2(1, 0));
  p.samples = 3;
  const PatchSamples more = patch_samples(p);
  EXPECT_EQ(more.across, 10u);
  ASSERT_EQ(more.uvs.size(), 70u);
  EXPECT_LT(glm::distance(more.uvs[4 * 10 + 8], glm::dvec2(1.5, 1 + 2 / 3.0)), 1e-12);
}

TEST(BsplinePatch, TessellatesEverySpan) {
  const BsplinePatch p = rational_patch();
  const Result<TessellatedPatch> tessellated = tessellate(p, 3, 2);
  ASSERT_TRUE(tessellated);
  const Mesh& mesh = tessellated->mesh;
  ASSERT_EQ(mesh.positions.size(), 7u * 7u);
  EXPECT_EQ(mesh.triangles.size(), 2u * 6u * 6u);
  ASSERT_EQ(tessellated->uvs.size(), mesh.positions.size());
  ASSERT_TRUE(validate(tessellated->rows, p.control.size(), "rows"));
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const PatchPoint point = evaluate(p, tessellated->uvs[i]);
    EXPECT_LT(glm::distance(glm::dvec3(mesh.positions[i]), point.position), 1e-6);
    glm::dvec3 by_rows(0);
    for (const Influence& influence : tessellated->rows.row(i)) {
      by_rows += double{influence.weight} * glm::dvec3(p.control[influence.index]);
    }
    EXPECT_LT(glm::distance(by_rows, point.position), 1e-5);
    EXPECT_GT(glm::dot(glm::dvec3(mesh.normals[i]), glm::cross(point.tangent_u, point.tangent_v)), 0);
  }
  for (const glm::uvec3 t : mesh.triangles) EXPECT_GT(triangle_area(mesh, t), least_area(mesh));
  EXPECT_FALSE(tessellate(p, 4000, 4000));
  EXPECT_FALSE(tessellate(p, 0xffffffffu, 0xffffffffu));
}

}  // namespace
}  // namespace pelt::surface_ffd
