// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <pelt/tools/defect_meter.h>

namespace pelt {
namespace {

using Points = std::vector<glm::vec3>;

// A strip along x of `count` squares of side 1: vertices 2 i and 2 i + 1 are at x = i.
struct Strip {
  explicit Strip(std::uint32_t count) {
    for (std::uint32_t i = 0; i <= count; ++i) {
      rest.insert(rest.end(), {{i, 0, 0}, {i, 1, 0}});
      if (i == count) break;
      triangles.insert(triangles.end(), {{2 * i, 2 * i + 2, 2 * i + 1}, {2 * i + 1, 2 * i + 2, 2 * i + 3}});
    }
    welded.resize(rest.size());
    std::iota(welded.begin(), welded.end(), 0u);
  }
  Points rest;
  std::vector<glm::uvec3> triangles;
  std::vector<std::uint32_t> welded;
};

LinearReference reference_of(const Strip& strip, const std::vector<Points>& linear) {
  return LinearReference(strip.rest, strip.triangles, linear.size(),
                         [&](std::size_t frame) { return std::span(linear[frame]); });
}

// In the second frame an end vertex is pulled away, so that its edge of length 1 becomes 3 long.
TEST(Defects, SayWhichEdgeIsStretchedInWhichFrame) {
  const Strip strip(20);
  Points bent = strip.rest;  // linear blend moves all skin a little, so that no edge is rigid
  for (glm::vec3& p : bent) p *= 1.1f;
  const LinearReference reference = reference_of(strip, {strip.rest, bent});
  Points moved = bent;
  moved[1].y = 3.3f;
  DefectMeter meter(reference);
  meter.add(strip.rest, strip.rest);
  meter.add(bent, moved);
  const Defects defects = meter.defects();
  EXPECT_EQ(defects.vertices[1].kind, DefectKind::kStretch);
  EXPECT_NEAR(defects.vertices[1].value, 3, 1e-5);
  EXPECT_NEAR(defects.vertices[1].score, 3 / 1.95, 1e-5);
  EXPECT_EQ(defects.vertices[1].frame, 1u);
  EXPECT_EQ(defects.vertices[0].value, defects.vertices[1].value);
  EXPECT_LT(defects.vertices[20].score, 1);
  EXPECT_NEAR(defects.apart[1], 2.2f, 1e-5f);
}

TEST(Defects, CountTheStrainOfRigidEdges) {
  const Strip strip(8);
  const LinearReference reference = reference_of(strip, {strip.rest, strip.rest});
  Points moved = strip.rest;
  moved[1].y = 1.66f;
  DefectMeter meter(reference);
  meter.add(strip.rest, moved);
  const Defects defects = meter.defects();
  EXPECT_EQ(defects.vertices[1].kind, DefectKind::kStrain);
  EXPECT_NEAR(defects.vertices[1].value, 0.66, 1e-5);
  EXPECT_NEAR(defects.vertices[1].score, 1.2, 1e-4);
  // In poses that no clip has, skin next to a joint slides.
  DefectMeter of_poses(reference, 0);
  moved[1].y = 0.1f;
  of_poses.add(strip.rest, moved);
  EXPECT_NEAR(of_poses.defects().vertices[1].score, 0.9 / 0.95, 1e-4);
}

// Returns the strip with the half beyond x = 2 turned up about its edge there.
Points folded(const Strip& strip, float degrees) {
  Points moved = strip.rest;
  for (glm::vec3& p : moved) {
    const float beyond = std::max(0.0f, p.x - 2), angle = glm::radians(degrees);
    p = {p.x - beyond + beyond * std::cos(angle), p.y, beyond * std::sin(angle)};
  }
  return moved;
}

std::vector<ShapeDefect> shapes_of(const Strip& strip, const Points& linear, const Points& moved) {
  const LinearReference reference = reference_of(strip, {linear});
  DefectMeter meter(reference);
  meter.add(linear, moved);
  return meter.defects().shapes;
}

TEST(Defects, NameCreasesThatLinearBlendDoesNotMake) {
  Strip strip(4);
  const std::vector<ShapeDefect> shapes = shapes_of(strip, strip.rest, folded(strip, 60));
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0].kind, DefectKind::kCrease);
  EXPECT_EQ(strip.rest[shapes[0].vertex].x, 2);
  EXPECT_NEAR(shapes[0].value, 60, 1e-3);
  EXPECT_NEAR(shapes[0].size, 1, 1e-6);
  EXPECT_TRUE(shapes_of(strip, strip.rest, folded(strip, 25)).empty());
  EXPECT_TRUE(shapes_of(strip, folded(strip, 40), folded(strip, 60)).empty());
  // Across a seam: the triangles beyond x = 2 have vertices of their own.
  for (const std::uint32_t v : {4u, 5u}) {
    strip.rest.push_back(strip.rest[v]);
    for (std::size_t t = 4; t < strip.triangles.size(); ++t) {
      for (int corner = 0; corner < 3; ++corner) {
        if (strip.triangles[t][corner] == v)
          strip.triangles[t][corner] = static_cast<std::uint32_t>(strip.rest.size()) - 1;
      }
    }
  }
  EXPECT_EQ(shapes_of(strip, strip.rest, folded(strip, 60)).size(), 1u);
}

TEST(Defects, NameTrianglesInsideOut) {
  const Strip strip(4);
  const std::vector<ShapeDefect> shapes = shapes_of(strip, strip.rest, folded(strip, 150));
  EXPECT_EQ(std::ranges::count(shapes, DefectKind::kInverted, &ShapeDefect::kind), 4);
  EXPECT_EQ(std::ranges::count(shapes, DefectKind::kCrease, &ShapeDefect::kind), 1);
  EXPECT_NEAR(shapes.back().value, 150, 1e-3);
  EXPECT_NEAR(shapes.back().size, std::sqrt(0.5), 1e-6);
}

// The weight of linear blend ends so gently that the transition stretches no edge by more than a quarter.
TEST(Defects, AreLeftGently) {
  const Strip strip(40);
  const LinearReference reference = reference_of(strip, {strip.rest});
  Defects defects;
  defects.vertices.resize(strip.rest.size());
  defects.apart.assign(strip.rest.size(), 2.0f);
  defects.vertices[0].score = 3;
  const std::vector<float> left = fallback_weights(defects, reference, strip.welded);
  EXPECT_EQ(left[0], 1);
  for (const LinearReference::Edge& edge : reference.edges()) {
    EXPECT_LE(std::abs(left[edge.from] - left[edge.to]) * 2 / edge.rest, 0.25 + 1e-5);
  }
  EXPECT_GT(left[8], 0);
  EXPECT_EQ(left[40], 0);
  defects.vertices[0].score = 1.4;  // half of the score of complete linear blend
  EXPECT_NEAR(fallback_weights(defects, reference, strip.welded)[0], 0.5f, 1e-6f);
}

// Coincident vertices have the same weight, and the weight continues across the seam between them.
TEST(Defects, AreLeftAcrossSeams) {
  Strip strip(3);
  const auto count = static_cast<std::uint32_t>(strip.rest.size());
  for (std::uint32_t v = 0; v < count; ++v) {
    strip.rest.push_back(strip.rest[v] + glm::vec3(3, 0, 0));
    strip.welded.push_back(v < 2 ? count - 2 + v : count + v);
  }
  const std::size_t triangles = strip.triangles.size();
  for (std::size_t t = 0; t < triangles; ++t) strip.triangles.push_back(strip.triangles[t] + count);
  const LinearReference reference = reference_of(strip, {strip.rest});
  Defects defects;
  defects.vertices.resize(strip.rest.size());
  defects.apart.assign(strip.rest.size(), 2.0f);
  defects.vertices[count - 2].score = 3;
  const std::vector<float> left = fallback_weights(defects, reference, strip.welded);
  EXPECT_EQ(left[count], left[count - 2]);
  EXPECT_GT(left[count + 2], 0);
}

}  // namespace
}  // namespace pelt
