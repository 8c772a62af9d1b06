// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <pelt/builtin.h>
#include <pelt/tools/check_figures.h>

namespace pelt {
namespace {

using Points = std::vector<glm::vec3>;
using Triangles = std::vector<glm::uvec3>;

// A square of side 1 in z = 0 made of two triangles: five edges.
const Points kSquare{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
const Triangles kHalves{{0, 1, 2}, {0, 2, 3}};

struct Frame {
  Points linear;
  Points moved;
};

Figures figures_of(const Points& rest, const Triangles& triangles, const std::vector<Frame>& frames,
                   unsigned threads = 0) {
  const LinearReference reference(
      rest, triangles, frames.size(), [&](std::size_t frame) { return std::span(frames[frame].linear); }, threads);
  FigureMeter meter(reference, threads);
  for (const Frame& frame : frames) meter.add(frame.linear, frame.moved);
  return meter.figures();
}

Points scaled(Points points, const glm::vec3& factors) {
  for (glm::vec3& p : points) p *= factors;
  return points;
}

Points with(Points points, std::size_t vertex, const glm::vec3& place) {
  points[vertex] = place;
  return points;
}

// Vertex 2 goes from (1, 1) to (3, 1): its edges become 3, sqrt 5 and sqrt 5 times as long.
TEST(Figures, OfATornCorner) {
  const Figures figures = figures_of(kSquare, kHalves, {{kSquare, kSquare}, {kSquare, with(kSquare, 2, {3, 1, 0})}});
  EXPECT_NEAR(figures.far, 2 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(figures.far_at.frame, 1u);
  EXPECT_EQ(figures.far_at.from, 2u);
  EXPECT_EQ(figures.stretch, 3);
  EXPECT_EQ(figures.stretch_at.frame, 1u);
  EXPECT_EQ(figures.stretch_at.from, 2u);
  EXPECT_EQ(figures.stretch_at.to, 3u);
  EXPECT_DOUBLE_EQ(figures.bad, 3.0 / 10);
  EXPECT_EQ(figures.rigid_max, 2);
  EXPECT_EQ(figures.rigid_at.to, 3u);
  // The greatest of ten are 2 and sqrt 5 - 1; the percentile is at position 0.99 * 9.
  EXPECT_NEAR(figures.rigid99, 2 - 0.09 * (3 - std::sqrt(5.0)), 1e-6);
  // One of eight distances is not 0.
  EXPECT_NEAR(figures.drift99, 0.93 * std::sqrt(2.0), 1e-6);
}

// A stretch that linear blend has as well is no defect, and edges that it changes in one frame are not rigid.
TEST(Figures, AllowWhatLinearBlendDoes) {
  const Points wide = with(kSquare, 2, {3, 1, 0});
  const Figures figures = figures_of(kSquare, kHalves, {{kSquare, kSquare}, {wide, wide}, {kSquare, kSquare}});
  EXPECT_EQ(figures.stretch, 1);
  EXPECT_EQ(figures.bad, 0);
  EXPECT_DOUBLE_EQ(figures.rigid_share, 2.0 / 5);
  // Every corner of the square has an edge that is not rigid, those of the neighbouring triangle have none: only their
  // distances count.
  Points rest = kSquare, bent = wide;
  for (const glm::vec3& p : {glm::vec3(0, 0, 1), glm::vec3(1, 0, 1), glm::vec3(1, 1, 1)}) {
    rest.push_back(p);
    bent.push_back(p);
  }
  const Triangles triangles{{0, 1, 2}, {0, 2, 3}, {4, 5, 6}};
  const auto drift = [&](std::size_t vertex) {
    return figures_of(rest, triangles, {{bent, with(bent, vertex, {0, 0, 5})}, {rest, rest}}).drift99;
  };
  for (const std::size_t vertex : {0u, 1u, 2u, 3u}) EXPECT_EQ(drift(vertex), 0) << vertex;
  EXPECT_GT(drift(4), 0);
}

// A rigid edge is compared with the median of its three frames, not with their mean or the rest pose.
TEST(Figures, MeasureStrainFromTheMedian) {
  const Points longer = scaled(kSquare, glm::vec3(1.001f)), longest = scaled(kSquare, glm::vec3(1.0015f));
  const Points twice = scaled(kSquare, glm::vec3(2));
  const Figures figures = figures_of(kSquare, kHalves, {{longest, longest}, {kSquare, kSquare}, {longer, twice}});
  EXPECT_EQ(figures.rigid_share, 1);
  EXPECT_NEAR(figures.rigid_max, 2 / 1.001 - 1, 1e-6);
  const Figures even = figures_of(kSquare, kHalves, {{longer, twice}, {kSquare, kSquare}});
  EXPECT_NEAR(even.rigid_max, 2 / 1.0005 - 1, 1e-6);
}

// Edges below 0.002 of the diagonal stretch unseen.
TEST(Figures, LeaveOutShortEdges) {
  const Points rest{{0, 0, 0}, {0.001f, 0, 0}, {1, 1, 0}};
  const Points moved = with(rest, 1, {0.1f, 0, 0});
  EXPECT_LT(figures_of(rest, {{0, 1, 2}}, {{rest, moved}}).stretch, 1.1);
  EXPECT_DOUBLE_EQ(figures_of(rest, {{0, 1, 2}}, {{rest, moved}}).rigid_share, 2.0 / 3);
}

// Linear blend halves the area. All of it comes back, or half, or more, of which the excess is not counted.
TEST(Figures, CountAreaThatIsGivenBack) {
  const Points flat = scaled(kSquare, {1, 0.5f, 1});
  const auto given_back = [&](float height) {
    return figures_of(kSquare, kHalves, {{flat, scaled(kSquare, {1, height, 1})}});
  };
  EXPECT_DOUBLE_EQ(given_back(1).regained, 0.5);
  EXPECT_DOUBLE_EQ(given_back(0.75f).regained, 0.25);
  EXPECT_DOUBLE_EQ(given_back(3).regained, 0.5);
  EXPECT_DOUBLE_EQ(given_back(0.25f).regained, -0.25);
  EXPECT_DOUBLE_EQ(*restored(given_back(0.75f), given_back(1)), 0.5);
  EXPECT_FALSE(restored(given_back(0.75f), given_back(0.5f)));
  // A triangle too small to be seen does not count.
  Points rest = kSquare, collapsed = kSquare;
  for (const glm::vec3& p : {glm::vec3(0, 0, 0), glm::vec3(1e-4f, 0, 0), glm::vec3(0, 1e-4f, 0)}) {
    rest.push_back(p);
    collapsed.emplace_back(0);
  }
  EXPECT_EQ(figures_of(rest, {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}}, {{collapsed, rest}}).regained, 0);
  // A loss of a quarter is not counted.
  const Points lower = scaled(kSquare, {1, 0.75f, 1});
  EXPECT_EQ(figures_of(kSquare, kHalves, {{lower, kSquare}}).regained, 0);
}

TEST(Figures, CountTrianglesThatFaceAway) {
  const Points over = with(kSquare, 3, {1, 0.2f, 0});  // the second triangle, turned over
  const Figures figures = figures_of(kSquare, kHalves, {{kSquare, kSquare}, {kSquare, over}});
  EXPECT_DOUBLE_EQ(figures.flips, 1.0 / 4);
  ASSERT_TRUE(figures.flip_at);
  EXPECT_EQ(figures.flip_at->frame, 1u);
  EXPECT_EQ(figures.flip_at->from, 0u);
  // A collapsed triangle of linear blend has no side to face.
  const Points collapsed = scaled(kSquare, {1, 0.29f, 1});
  EXPECT_EQ(figures_of(kSquare, kHalves, {{collapsed, scaled(collapsed, {-1, 1, 1})}}).flips, 0);
  const Points low = scaled(kSquare, {1, 0.31f, 1});
  EXPECT_EQ(figures_of(kSquare, kHalves, {{low, scaled(low, {-1, 1, 1})}}).flips, 1);
}

TEST(Figures, OfNothing) {
  const Figures none = figures_of({}, {}, {});
  EXPECT_EQ(none.stretch, 0);
  const Figures points = figures_of({{1, 2, 3}, {4, 5, 6}}, {}, {{{{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 7}}}});
  EXPECT_GT(points.far, 0);
  EXPECT_EQ(points.bad, 0);
  EXPECT_EQ(points.drift99, 0);
  EXPECT_EQ(figures_of({{1, 2, 3}}, {{0, 0, 0}}, {{{{1, 2, 3}}, {{9, 2, 3}}}}).far, 0);  // a skin of size 0
}

// There are so many frames that edges come in two passes: those of the second are also rigid, with the same median.
TEST(Figures, TakeEdgesInPasses) {
  constexpr std::size_t kFrames = 1600;
  const Mesh mesh = make_limb({.around = 48, .along = 80}).meshes.front();
  Points moving = mesh.positions;
  std::size_t calls = 0;
  const LinearReference reference(mesh.positions, mesh.triangles, kFrames, [&](std::size_t frame) {
    ++calls;
    const float factor = 1 + 1e-6f * static_cast<float>(frame % 2);
    for (std::size_t v = 0; v < moving.size(); ++v) moving[v] = factor * mesh.positions[v];
    return std::span(moving);
  });
  EXPECT_EQ(calls, 2 * kFrames);
  FigureMeter meter(reference);
  const Points wide = scaled(mesh.positions, glm::vec3(1.5f));
  for (std::size_t frame = 0; frame < kFrames; ++frame) meter.add(mesh.positions, wide);
  const Figures figures = meter.figures();
  EXPECT_EQ(figures.rigid_share, 1);
  EXPECT_NEAR(figures.rigid99, 0.5, 1e-5);
  EXPECT_NEAR(figures.rigid_max, 0.5, 1e-5);
}

// The percentile is NumPy's: linear between the values next to 0.99 (n - 1).
TEST(TopValues, FindThePercentileOfAll) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(-1, 1);
  for (const std::size_t count : {1u, 2u, 63u, 100u, 101u, 1234u, 20000u}) {
    for (const double percent : {99.0, 50.0, 0.0, 100.0}) {
      std::vector<double> all(count);
      for (double& v : all) v = std::round(40 * value(random)) / 40;  // many equal values
      TopValues top(count, percent);
      for (std::size_t first = 0; first < count; first += 97) {
        top.add(std::span(all).subspan(first, std::min<std::size_t>(97, count - first)));
      }
      std::sort(all.begin(), all.end());
      const double place = percent / 100 * static_cast<double>(count - 1);
      const auto lower = static_cast<std::size_t>(place);
      const double upper = all[std::min(lower + 1, count - 1)];
      const double expected = all[lower] + (place - static_cast<double>(lower)) * (upper - all[lower]);
      EXPECT_NEAR(top.percentile(), expected, 1e-12) << count << " values, " << percent << "%";
    }
  }
  EXPECT_EQ(TopValues(0, 99).percentile(), 0);
}

}  // namespace
}  // namespace pelt
