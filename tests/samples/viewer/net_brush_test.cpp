// SPDX-License-Identifier: MIT
// The brush on control vertices: which ones move with a dragged one, how far, and in which direction.
#include "samples/viewer/net_brush.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>

#include "tests/support/driven.h"
#include "tests/support/tube_surface.h"

namespace pelt::viewer {
namespace {

using testing::UnorderedElementsAre;

constexpr float kModelSize = 2;
const glm::vec3 kWay(0.3f, 0.2f, 0.1f);
const glm::vec3 kMirrored(-0.3f, 0.2f, 0.1f);

Handle vertex(const std::string& name, glm::vec3 rest, std::uint32_t level = 0, std::uint32_t layer = 0) {
  Handle handle{.name = name, .kind = HandleKind::kVertexOffset};
  handle.surface = ControlVertex{layer, level, 0};
  handle.rest = rest;
  return handle;
}

// Returns the shift of a handle; 0 if it does not move.
glm::vec3 moved(const std::vector<BrushedHandle>& brushed, const std::string& name) {
  const auto found = std::ranges::find_if(brushed, [&](const BrushedHandle& one) { return one.handle.name == name; });
  return found == brushed.end() ? glm::vec3(0.0f) : found->share * kWay;
}

void expect_near(glm::vec3 a, glm::vec3 b) { EXPECT_LT(glm::distance(a, b), 1e-6f) << a.x << " " << b.x; }

std::vector<Handle> line() {
  return {vertex("a", {0.5f, 0, 0}),       vertex("b", {0.55f, 0, 0}),          vertex("c", {0.6f, 0, 0}),
          vertex("fine", {0.5f, 0, 0}, 1), vertex("other", {0.5f, 0, 0}, 0, 1), vertex("left", {-0.49f, 0, 0}),
          vertex("next", {-0.55f, 0, 0}),  vertex("middle", {0, 0, 0})};
}

TEST(NetBrush, OfNoRadiusIsOneVertex) {
  const std::vector<Handle> handles = line();
  const auto one = brushed(std::span(handles).first(1), handles, {}, kModelSize);
  ASSERT_EQ(one.size(), 1u);
  expect_near(moved(one, "a"), kWay);
}

TEST(NetBrush, FallsOffSmoothlyOnTheLevelAlone) {
  const std::vector<Handle> handles = line();
  const auto all = brushed(std::span(handles).first(1), handles, {.radius = 0.1f}, kModelSize);
  ASSERT_EQ(all.size(), 2u) << "at the radius nothing moves any more";
  EXPECT_EQ(all[0].handle.name, "a");
  expect_near(moved(all, "a"), kWay);
  expect_near(moved(all, "b"), 0.5f * kWay);
  const auto wide = brushed(std::span(handles).first(1), handles, {.radius = 0.3f}, kModelSize);
  EXPECT_GT(glm::length(moved(wide, "b")), glm::length(moved(wide, "c")));
  EXPECT_EQ(moved(wide, "fine"), glm::vec3(0.0f));
  EXPECT_EQ(moved(wide, "other"), glm::vec3(0.0f));
}

TEST(NetBrush, MirrorsToTheNearestVertex) {
  const std::vector<Handle> handles = line();
  const auto one = brushed(std::span(handles).first(1), handles, {.symmetric = true}, kModelSize);
  ASSERT_EQ(one.size(), 2u);
  expect_near(moved(one, "left"), kMirrored);
  const auto wide = brushed(std::span(handles).first(1), handles, {.radius = 0.12f, .symmetric = true}, kModelSize);
  expect_near(moved(wide, "left"), kMirrored);
  expect_near(moved(wide, "next"), 0.5f * kMirrored);
  // Nothing is near the mirror image of c.
  EXPECT_EQ(brushed(std::span(handles).subspan(2, 1), handles, {.symmetric = true}, 1).size(), 1u);
}

TEST(NetBrush, KeepsWhatIsOnThePlaneThere) {
  const std::vector<Handle> handles = line();
  const auto one = brushed(std::span(handles).last(1), handles, {.symmetric = true}, kModelSize);
  ASSERT_EQ(one.size(), 1u);
  expect_near(moved(one, "middle"), {0, kWay.y, kWay.z});
}

// The mirror plane is that at bind: each side's shift is transformed by its own motion.
TEST(NetBrush, MirrorsAtBind) {
  std::vector<Handle> handles = line();
  const glm::mat3 turn(glm::rotate(glm::mat4(1), 0.7f, glm::normalize(glm::vec3(1, 2, 3))));
  const glm::mat3 other(glm::rotate(glm::mat4(1), -0.4f, glm::normalize(glm::vec3(3, 1, 0))));
  handles[0].motion = turn;
  handles[5].motion = other;
  const auto one = brushed(std::span(handles).first(1), handles, {.symmetric = true}, kModelSize);
  expect_near(moved(one, "a"), kWay);
  const glm::vec3 at_bind = glm::inverse(turn) * kWay;
  expect_near(moved(one, "left"), other * (glm::vec3(-1, 1, 1) * at_bind));
}

TEST(NetBrush, LeavesOtherPointsAsTheyAre) {
  const std::vector<Handle> handles{{.name = "point root"}, {.name = "point tip"}, vertex("a", {0, 0, 0})};
  const auto one = brushed(std::span(handles).first(1), handles, {.radius = 1, .symmetric = true}, kModelSize);
  ASSERT_EQ(one.size(), 1u);
  expect_near(moved(one, "point root"), kWay);
}

// Moving all control vertices of the base by their shares moves a point of the skin by the whole way, and by no less
// total change: each share is that of the control vertex.
TEST(NetBrush, DragsAPointOfTheSkin) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.frames_per_span = 0;
  const Character before = test::bound(test::make_tube(), test::rig_of(surface)).character;
  const CharacterMesh& skin = test::mesh_of(before, "tube");
  const CharacterMesh& base = test::mesh_of(before, "surface");
  std::vector<Handle> handles;
  for (std::uint32_t v = 0; v < base.vertex_count(); ++v) {
    handles.push_back(vertex("v", surface.control[v]));
    handles.back().surface->number = v;
    handles.back().instance_vertex = base.first_vertex + v;
  }
  const std::uint32_t dragged = skin.vertex_count() / 2;
  for (const BrushedHandle& one : dragged_by(*before, skin.first_vertex + dragged, handles)) {
    surface.levels[0].moves.push_back({one.handle.surface->number, one.share * kWay});
  }
  EXPECT_GT(surface.levels[0].moves.size(), 8u);
  const Character after = test::bound(test::make_tube(), test::rig_of(surface)).character;
  const auto at_rest = [&](const Character& character) {
    return test::posed(character, test::bind_matrices(test::make_tube()), "tube")[skin.source_vertex[dragged]];
  };
  // The frame turns a little, too.
  EXPECT_LT(glm::distance(at_rest(after), at_rest(before) + kWay), 0.1f * glm::length(kWay));
}

TEST(NetBrush, NamesWhatIsNear) {
  const std::vector<Handle> handles = line();
  EXPECT_THAT(names_within(std::span(handles).first(1), handles, 0.06f), UnorderedElementsAre("b"));
  EXPECT_THAT(names_within(std::span(handles).first(2), handles, 0.2f), UnorderedElementsAre("c"));
}

}  // namespace
}  // namespace pelt::viewer
