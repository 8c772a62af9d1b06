// SPDX-License-Identifier: MIT
// Edits of hierarchical B-splines: the joints that control vertices follow, and refinement.
#include "samples/viewer/surface_net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/rig_json.h>

#include "samples/viewer/net_mirror.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"
#include "tests/support/tube_surface.h"

namespace pelt::viewer {
namespace {

using testing::HasSubstr;

// Vertices of level 1 of the tube's surface are numbered 16 i + j.
constexpr std::uint32_t kOffset = 7 * 16 + 2;    // has an offset
constexpr std::uint32_t kAttached = 9 * 16 + 9;  // follows joint0

Rig tube_rig() {
  HierarchicalBsplineParameters surface = test::tube_surface();
  test::add_overlays(surface);
  return test::rig_of(surface);
}

const SurfaceLevel& level_of_rig(const Rig& rig, std::size_t level) {
  return rig.layers[0].deformer.get<HierarchicalBsplineParameters>().levels[level];
}

SurfaceAttachment to(const std::string& joint, std::uint32_t segment = 1, std::uint32_t segments = 1) {
  SurfaceAttachment attachment;
  attachment.joint = joint;
  attachment.segment = segment;
  attachment.segments = segments;
  return attachment;
}

// Returns the vertices of the rig's surface.
auto vertices_of(const Rig& rig) {
  return test::must(
      hierarchical_bspline::surface_vertices(rig.layers[0].deformer.get<HierarchicalBsplineParameters>()));
}

// Every edit leaves a rig that reads again as it is.
Rig reread(const Rig& rig) { return test::must(parse_rig(format_rig(rig), "the rig")); }

TEST(SurfaceNet, AttachesToAPartOfAJoint) {
  const std::vector<ControlVertex> vertices{{0, 1, kOffset}, {0, 1, kAttached}, {0, 1, kOffset + 1}};
  const Rig rig = test::must(with_attached(tube_rig(), vertices, to("joint1", 2, 3)));
  const SurfaceLevel& level = level_of_rig(rig, 1);
  ASSERT_EQ(level.attach.size(), 2u);
  EXPECT_EQ(level.attach[0].vertices, (std::vector<IndexRange>{{kAttached + 1, kAttached + 2}})) << "detached from it";
  EXPECT_EQ(level.attach[1].segments, 3u);
  EXPECT_EQ(level.attach[1].vertices, (std::vector<IndexRange>{{kOffset, kOffset + 1}, {kAttached, kAttached}}));
  EXPECT_EQ(level.offsets, level_of_rig(tube_rig(), 1).offsets) << "nothing moves at bind";
  EXPECT_EQ(reread(rig), rig);
}

TEST(SurfaceNet, JoinsAnAttachmentThatThereIs) {
  const std::vector<ControlVertex> vertices{{0, 1, kAttached + 3}};
  const Rig rig = test::must(with_attached(tube_rig(), vertices, to("joint0")));
  ASSERT_EQ(level_of_rig(rig, 1).attach.size(), 1u);
  EXPECT_EQ(level_of_rig(rig, 1).attach[0].vertices, (std::vector<IndexRange>{{kAttached, kAttached + 3}}));
}

TEST(SurfaceNet, DetachesAndKeepsTheVertex) {
  std::vector<ControlVertex> vertices;
  for (std::uint32_t k = 0; k < 3; ++k) vertices.push_back({0, 1, kAttached + k});
  const Rig rig = test::must(with_detached(tube_rig(), vertices));
  const SurfaceLevel& level = level_of_rig(rig, 1);
  EXPECT_TRUE(level.attach.empty()) << "an attachment of nothing";
  ASSERT_EQ(level.offsets.size(), 5u);
  EXPECT_EQ(level.offsets[2], (VertexOffset{kAttached, glm::vec3(0.0f)}));
  EXPECT_EQ(vertices_of(rig).grids[1].stored, 5u);
  EXPECT_EQ(reread(rig), rig);
}

TEST(SurfaceNet, RefinesWithoutAChangeOfShape) {
  const Rig before = tube_rig();
  std::vector<ControlVertex> round;
  // Level 1 has two of the nine already; the next vertex shares six with it.
  const std::vector<ControlVertex> vertices{{0, 0, 4 * 8 + 1}, {0, 0, 4 * 8 + 2}};
  const Rig rig = test::must(with_refined(before, vertices, round));
  EXPECT_EQ(round.size(), 15u);
  for (const ControlVertex& place : round) EXPECT_EQ(place.level, 1u);
  const auto surface = vertices_of(rig);
  const auto old = vertices_of(before);
  for (const auto& vertex : old.vertices) {
    const auto same = std::ranges::find_if(surface.vertices, [&](const auto& other) {
      return other.level == vertex.level && other.number == vertex.number;
    });
    ASSERT_NE(same, surface.vertices.end());
    EXPECT_LT(glm::distance(same->rest, vertex.rest), 1e-6f);
  }
  for (const ControlVertex& place : round) {
    EXPECT_TRUE(std::ranges::any_of(surface.vertices, [&](const auto& vertex) {
      return vertex.level == place.level && vertex.number == place.number;
    }));
  }
  EXPECT_EQ(reread(rig), rig);
}

TEST(SurfaceNet, RefinesTheFinestLevelByANewOne) {
  std::vector<ControlVertex> round;
  const std::vector<ControlVertex> vertices{{0, 2, 15 * 32 + 6}};
  const Rig rig = test::must(with_refined(tube_rig(), vertices, round));
  EXPECT_EQ(round.size(), 9u);
  EXPECT_EQ(level_of_rig(rig, 3).offsets.size(), 9u);
}

// The tube lies on both sides of x = 0, and its joints are "arm.L" and "arm.R".
TEST(SurfaceNet, MirrorsVerticesJointsKeysAndLimits) {
  Rig rig = tube_rig();
  for (glm::vec3& p : rig.layers[0].deformer.get<HierarchicalBsplineParameters>().control) p.x -= 4;
  Skeleton skeleton;
  skeleton.joints = {{.name = "arm.L"}, {.name = "arm.R"}, {.name = "spine"}};
  skeleton.joints[0].rest = {.translation = {3, 0, 0}, .rotation = glm::angleAxis(0.4f, glm::vec3(0, 1, 0))};
  skeleton.joints[1].rest.translation = {-3, 0, 0};
  EXPECT_EQ(mirrored(to("arm.R", 2, 3), skeleton), to("arm.L", 2, 3));
  EXPECT_EQ(mirrored(to("spine"), skeleton), to("spine"));

  constexpr std::uint32_t kNear = 6 * 16 + 2, kImage = 12 * 16 + 2;  // of level 1, at x = -1.5 and 1.5
  std::vector<ControlVertex> round;
  const std::vector<ControlVertex> refined{{0, 0, 3 * 8 + 1}, {0, 0, 6 * 8 + 1}}, vertices{{0, 1, kNear}};
  rig = test::must(with_refined(std::move(rig), refined, round));
  EXPECT_EQ(test::must(images_of(rig, vertices, 8)), (std::vector<ControlVertex>{{0, 1, kImage}}));
  EXPECT_TRUE(test::must(images_of(rig, std::vector<ControlVertex>{{0, 1, kAttached}}, 8)).empty());

  auto& surface = rig.layers[0].deformer.get<HierarchicalBsplineParameters>();
  surface.levels[1].keys = {{.angle = KeyAngle{"arm.R", {0, 1, 1}},
                             .keys = {{.at = 90, .offsets = {{kNear, {0.1f, 0.2f, 0.3f}}}}},
                             .vertices = {{kNear, kNear}}}};
  surface.levels[1].limits = {{.joint = "arm.R", .distance = 0.1f, .vertices = {{kNear - 1, kNear}}},
                              {.joint = "spine", .vertices = {{kNear, kNear}}}};
  surface.levels[1].secondary = {{.mass = 2, .vertices = {{kNear, kNear}}},
                                 {.mass = 3, .vertices = {{kImage, kImage}}}};
  surface.levels[1].separations = {{.from = kNear, .distance = 0.2f, .vertices = {{kNear, kNear}}}};
  // The second time replaces those of the first.
  for (int time = 0; time < 2; ++time) rig = test::must(with_mirrored(std::move(rig), vertices, skeleton, 8));
  const SurfaceLevel& level = level_of_rig(rig, 1);
  const std::vector<IndexRange> image{{kImage, kImage}}, both{{kNear, kNear}, {kImage, kImage}};
  EXPECT_THAT(level.limits,
              testing::ElementsAre(SurfaceLimit{.joint = "arm.R", .distance = 0.1f, .vertices = {{kNear - 1, kNear}}},
                                   SurfaceLimit{.joint = "spine", .vertices = both},
                                   SurfaceLimit{.joint = "arm.L", .distance = 0.1f, .vertices = image}));
  EXPECT_THAT(level.secondary, testing::ElementsAre(SecondaryAction{.mass = 2, .vertices = both}));
  EXPECT_THAT(level.separations,
              testing::ElementsAre(SurfaceSeparation{.from = kNear, .distance = 0.2f, .vertices = {{kNear, kNear}}},
                                   SurfaceSeparation{.from = kImage, .distance = 0.2f, .vertices = image}));
  const std::vector<SurfaceKeys>& keys = level_of_rig(rig, 1).keys;
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[1].vertices, (std::vector<IndexRange>{{kImage, kImage}}));
  EXPECT_EQ(keys[1].keys[0].offsets.at(0).vertex, kImage);
  // The offsets are mirror images in model space; so are the turns, whose axes then point the other way.
  const auto known = vertices_of(rig);
  const auto in_model = [&](const SurfaceKeys& one) {
    const VertexOffset& offset = one.keys[0].offsets.at(0);
    const auto vertex = std::ranges::find_if(
        known.vertices, [&](const auto& own) { return own.level == 1 && own.number == offset.vertex; });
    return vertex->axes * offset.offset;
  };
  EXPECT_LT(glm::distance(in_model(keys[1]), glm::vec3(-1, 1, 1) * in_model(keys[0])), 1e-5f);
  EXPECT_EQ(keys[1].angle->joint, "arm.L");
  EXPECT_LT(glm::distance(skeleton.joints[0].rest.rotation * keys[1].angle->axis, glm::vec3(0, -1, -1)), 1e-5f);
}

TEST(SurfaceNet, SaysThatASurfaceIsGone) {
  std::vector<ControlVertex> round;
  for (const ControlVertex place : {ControlVertex{1, 0, 0}, ControlVertex{0, 3, 0}}) {
    const std::vector<ControlVertex> vertices{place};
    EXPECT_TRUE(test::refused(with_detached(tube_rig(), vertices), "no longer"));
    EXPECT_FALSE(with_attached(tube_rig(), vertices, to("joint0")));
    EXPECT_FALSE(with_refined(tube_rig(), vertices, round));
  }
  EXPECT_TRUE(round.empty());
}

}  // namespace
}  // namespace pelt::viewer
