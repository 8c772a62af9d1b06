// SPDX-License-Identifier: MIT
// The values by which pelt render --show colours a skin.
#include "samples/pelt/bind_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <pelt/linear_blend.h>
#include <pelt/pack.h>

#include "samples/pelt/element_weights.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"
#include "tests/support/tube_surface.h"

namespace pelt::samples {
namespace {

// A tube of radius 1 in a cage of radius 1.2. The cage moves the tube up to x = 4.1; beyond, the joints do.
class ShownBind : public testing::Test {
 protected:
  ShownBind() {
    Rig rig;
    rig.layers = {{.target = "tube", .deformer = LinearBlendParameters{}},
                  {.target = "tube",
                   .deformer = test::by_cage(),
                   .mask = {.region = {.box = Box{{-1, -2, -2}, {4.1f, 2, 2}, 0}}}}};
    character = test::bound(test::make_tube_in_cage({}, {.around = 24, .along = 24, .radius = 1.2f}), rig).character;
  }

  BindView view(const std::string& what) const { return test::must(view_of_bind(*character, what)); }

  const CharacterMesh& tube() const { return test::mesh_of(*character, "tube"); }

  std::optional<Character> character;
};

TEST_F(ShownBind, UnboundIsWhatNoDriverMoves) {
  const BindView unbound = view("unbound");
  ASSERT_EQ(unbound.values.size(), (*character)->vertex_count());
  for (std::uint32_t v = 0; v < tube().vertex_count(); ++v) {
    EXPECT_EQ(unbound.values[tube().first_vertex + v], tube().binding.points[v].x > 4.1f ? 1.0f : 0.0f);
  }
  EXPECT_EQ(unbound.least, "driven");
  EXPECT_EQ(unbound.most, "unbound");
}

TEST_F(ShownBind, DistanceIsToTheDriversSurface) {
  const BindView distance = view("distance");
  for (std::uint32_t v = 0; v < tube().vertex_count(); ++v) {
    EXPECT_NEAR(distance.values[tube().first_vertex + v], 1.0f, 0.1f);  // / the largest: 0.2 less the cage's chord
  }
  EXPECT_EQ(distance.least, "0");
  EXPECT_THAT(distance.most, testing::MatchesRegex("0\\.(2|1[89][0-9]*) m"));
}

TEST_F(ShownBind, InfluencesAreOverTheMost) {
  const BindView influences = view("influences");
  const SparseRows rows = unpack_rows(tube().binding);
  std::size_t most = 0;
  for (std::uint32_t v = 0; v < tube().vertex_count(); ++v) most = std::max(most, rows.row(v).size());
  for (std::uint32_t v = 0; v < tube().vertex_count(); ++v) {
    EXPECT_FLOAT_EQ(influences.values[tube().first_vertex + v],
                    static_cast<float>(rows.row(v).size()) / static_cast<float>(most));
  }
  EXPECT_EQ(influences.most, std::to_string(most) + " influences");
}

// A tube by a surface whose vertices 114 and 131 of level 1 are stored, at x = 2.5 and 3; joints turn at x = 4.
class ShownSurface : public testing::Test {
 protected:
  ShownSurface() {
    HierarchicalBsplineParameters surface = test::tube_surface();
    surface.frames_per_span = 0;
    surface.levels.push_back({.offsets = {{7 * 16 + 2, {}}, {8 * 16 + 3, {}}}});
    character = test::bound(test::make_tube(), test::rig_of(surface)).character;
  }
  const CharacterMesh& tube() const { return test::mesh_of(*character, "tube"); }
  std::optional<Character> character;
};

// The uniform cubic basis of vertex i at x, in spans.
double basis(double x, double i) {
  const double t = 2 - std::abs(x - (i - 1));
  return t <= 0 ? 0 : t <= 1 ? t * t * t / 6 : 2 / 3.0 - (2 - t) * (2 - t) * (1 - (2 - t) / 2);
}

TEST_F(ShownSurface, HighlightsWhatAControlVertexMoves) {
  const std::vector<float> shares = *element_weights(*character, "surface vertex 66");  // (8, 2)
  for (std::uint32_t v = 0; v < tube().vertex_count(); ++v) {
    const glm::vec3 p = tube().binding.points[v];
    double around = std::atan2(p.z, p.y) / (2 * 3.14159265358979) * 8;  // from vertex 0 of a ring
    if (around < -2) around += 8;
    EXPECT_NEAR(shares[tube().first_vertex + v], basis(p.x, 8) * basis(around - 1, 2), 2e-3) << v;
  }
  EXPECT_THAT(element_weights(*character, "surface vertex 88").error().message, testing::HasSubstr("no control mesh"));
}

TEST_F(ShownSurface, LevelsAreTheFinestThatMovesASkinVertex) {
  const BindView levels = *view_of_bind(*character, "levels");
  EXPECT_EQ(levels.most, "level 1");
  const CharacterMesh& finer = test::mesh_of(*character, "surface level 1");
  for (std::uint32_t v = 0; v < tube().vertex_count(); ++v) {
    const glm::vec3 p = tube().binding.points[v];
    const auto near = [&](glm::vec3 stored) { return glm::distance(stored, p); };
    const float distance = std::min(near(finer.binding.points[0]), near(finer.binding.points[1]));
    const float level = levels.values[tube().first_vertex + v];
    if (distance > 0.4f && distance < 1.5f) continue;
    EXPECT_EQ(level, distance < 1 ? 1.0f : 0.0f) << v;
  }
}

TEST_F(ShownSurface, SegmentsAreTheJointOrPartThatMovesMost) {
  const BindView view = *view_of_bind(*character, "segments");
  std::set<float> before, at, after;
  for (std::uint32_t v = 0; v < tube().vertex_count(); ++v) {
    const float x = tube().binding.points[v].x;
    (x < 3.4f ? before : x > 4.6f ? after : at).insert(view.values[tube().first_vertex + v]);
  }
  EXPECT_EQ(before.size(), 1u);
  EXPECT_EQ(after.size(), 1u);
  EXPECT_EQ(at.size(), 3u) << "and the middle sub-segment's";
}

// The signed colours of twice the length are the last.
TEST_F(ShownBind, TensionIsThatOfTheSkins) {
  std::vector<glm::vec3> posed((*character)->vertex_count());
  for (std::uint32_t v = 0; v < tube().vertex_count(); ++v)
    posed[tube().first_vertex + v] = 2.0f * tube().binding.points[v];
  const BindView tension = view_of_tension(**character, posed, 1);
  EXPECT_EQ(tension.values[tube().first_vertex], 3.0f);
  EXPECT_EQ(tension.values[(*character)->meshes[0].first_vertex], (*character)->meshes[0].control ? 2.0f : 3.0f);
}

TEST_F(ShownBind, SaysWhatThereIsNot) {
  EXPECT_FALSE(view_of_bind(*character, "weights"));
  const Character blended = test::bound(test::make_tube(), test::rig_of(LinearBlendParameters{})).character;
  EXPECT_EQ(test::error_of(view_of_bind(blended, "distance")), "there is no driver to measure a distance from");
  EXPECT_EQ(view_of_bind(blended, "unbound")->values, std::vector<float>(blended->vertex_count(), 1.0f));
}

}  // namespace
}  // namespace pelt::samples
