// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/twist_spread.h"

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/hierarchical_bspline.h>
#include <pelt/linear_blend.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

using test::kForearm;
using test::make_forearm;

// Returns the skin with a joint, and those below it, turned about x.
std::vector<glm::vec3> twisted(const Model& model, DeformerParameters deformer, std::size_t joint, float degrees) {
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  for (std::size_t j = joint; j < 3; ++j) joints[j] = test::turn_about({}, degrees, {1, 0, 0}) * joints[j];
  return test::posed(test::bound(model, test::rig_of(std::move(deformer))).character, joints, "tube");
}

SurfaceFfdParameters ffd() {
  SurfaceFfdParameters parameters;
  parameters.driver.twist = Twist::kSpread;
  return parameters;
}

// Returns the angle about x, degrees, by which a vertex has turned.
float turn_of(const glm::vec3& rest, const glm::vec3& posed) {
  const float sine = rest.y * posed.z - rest.z * posed.y;
  return glm::degrees(std::atan2(sine, rest.y * posed.y + rest.z * posed.z));
}

float radius_of(const glm::vec3& p) { return std::hypot(p.y, p.z); }

float least_radius(std::span<const glm::vec3> points) {
  float least = radius_of(points[0]);
  for (const glm::vec3& p : points) least = std::min(least, radius_of(p));
  return least;
}

TEST(TwistSpread, TurnsAForearmEvenly) {
  const Model model = make_forearm();
  const std::vector<glm::vec3>& rest = model.meshes[0].positions;
  for (const DeformerParameters& deformer :
       {DeformerParameters(ffd()), DeformerParameters(LinearBlendParameters{.twist = Twist::kSpread})}) {
    const std::vector<glm::vec3> posed = twisted(model, deformer, 2, 150);
    EXPECT_GT(least_radius(posed), 0.9f) << deformer.name();
    for (std::size_t v = 0; v < rest.size(); ++v) {
      const float at = (rest[v].x - kForearm) / kForearm;
      const float even = 150 * std::clamp(at / 1.125f, 0.0f, 1.0f);  // the transition reaches 1/8 of the bone beyond it
      EXPECT_NEAR(turn_of(rest[v], posed[v]), even, 20) << deformer.name() << " at " << at;
    }
  }
}

TEST(TwistSpread, TurnsASurfaceFromTheSkin) {
  const Model model = make_forearm();
  const std::vector<glm::vec3>& rest = model.meshes[0].positions;
  const auto posed = [&](Twist twist) {
    HierarchicalBsplineParameters surface;
    surface.spread = 0.0f;
    surface.twist = twist;
    return twisted(model, surface, 2, 150);
  };
  const auto farthest_from_even = [&](std::span<const glm::vec3> skin) {
    float farthest = 0;
    for (std::size_t v = 0; v < rest.size(); ++v) {
      const float even = 150 * std::clamp((rest[v].x / kForearm - 1) / 1.125f, 0.0f, 1.0f);
      farthest = std::max(farthest, std::abs(turn_of(rest[v], skin[v]) - even));
    }
    return farthest;
  };
  EXPECT_LT(farthest_from_even(posed(Twist::kSpread)), 30);
  EXPECT_GT(farthest_from_even(posed(Twist::kNone)), 90) << "the test needs a skin that wrings";
  EXPECT_GT(least_radius(posed(Twist::kSpread)), 0.85f);
}

TEST(TwistSpread, GivesBackTheTwistOfTheBoneItself) {
  const Model model = make_forearm();
  const std::vector<glm::vec3>& rest = model.meshes[0].positions;
  const std::vector<glm::vec3> posed = twisted(model, LinearBlendParameters{.twist = Twist::kSpread}, 1, 120);
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const float at = std::clamp((rest[v].x - kForearm) / kForearm, 0.0f, 1.0f);
    EXPECT_NEAR(turn_of(rest[v], posed[v]), 120 * at, 12) << rest[v].x;
  }
}

// Twist joints that a clip or a helper joint turns do it already.
TEST(TwistSpread, LeavesBonesWhoseTwistJointsMove) {
  Model model = make_forearm();
  Joint twist = model.skeleton.joints[2];
  twist.name = "left_forearm_twist";
  model.skeleton.joints.push_back(twist);
  model.bound_joints.push_back({3, model.bound_joints[2].inverse_bind});
  const Channel turned{.joint = 3,
                       .path = ChannelPath::kRotation,
                       .times = {0, 1},
                       .values = {0, 0, 0, 1, std::sin(0.5f), 0, 0, std::cos(0.5f)}};
  Channel still = turned;
  still.values = {0, 0, 0, 1, 0, 0, 0, 1};
  Clip clip{.name = "turn", .duration = 1};
  clip.channels = {still};
  model.clips = {clip};
  EXPECT_FALSE(TwistSpread(model, Twist::kSpread).empty());
  model.clips[0].channels = {turned};
  EXPECT_TRUE(TwistSpread(model, Twist::kSpread).empty());
  model.clips.clear();
  EXPECT_FALSE(TwistSpread(model, Twist::kSpread).empty());
  model.skeleton.helpers = {{.joint = 3, .source = 2, .last = 3}};
  EXPECT_TRUE(TwistSpread(model, Twist::kSpread).empty());
}

TEST(TwistSpread, LeavesJointsWithoutTransition) {
  EXPECT_TRUE(TwistSpread(make_forearm({.length = 12, .joints = 3, .blend_length = 0}), Twist::kSpread).empty());
  EXPECT_TRUE(TwistSpread(make_forearm(), Twist::kNone).empty());
}

TEST(TwistSpread, LeavesStubs) {
  EXPECT_TRUE(TwistSpread(make_forearm({.length = 5.9f, .joints = 3}), Twist::kSpread).empty());
  const Model model = make_forearm({.around = 24, .along = 60, .length = 7.5f, .joints = 3, .blend_length = 1});
  const std::vector<glm::vec3> posed = twisted(model, LinearBlendParameters{.twist = Twist::kSpread}, 2, 120);
  for (std::size_t v = 0; v < posed.size(); ++v) {
    const glm::vec3& rest = model.meshes[0].positions[v];
    if (std::abs(rest.x - 3.75f) > 0.01f) continue;
    EXPECT_NEAR(turn_of(rest, posed[v]), 120 * 0.5f * 0.5f / 1.2f, 4);
  }
}

TEST(TwistSpread, FindsLimbsWithoutNamesByTheirShape) {
  const auto finds = [](const test::TubeOptions& tube) {
    return !TwistSpread(test::make_tube(tube), Twist::kSpread).empty();
  };
  EXPECT_TRUE(finds({.length = 12, .joints = 3, .blend_length = 1}));
  EXPECT_TRUE(finds({.length = 16, .joints = 4, .blend_length = 1}));
  EXPECT_FALSE(finds({.length = 20, .joints = 5, .blend_length = 1})) << "a tail";
  EXPECT_FALSE(finds({.length = 8, .joints = 3, .blend_length = 1})) << "stubby";
  Model neck = test::make_tube({.length = 12, .joints = 3, .blend_length = 1});
  neck.skeleton.joints[1].name = "neck";
  EXPECT_TRUE(TwistSpread(neck, Twist::kSpread).empty());
}

// A bracer turns as the skin below its middle does, in one piece.
TEST(TwistSpread, TurnsARigidPartAsOne) {
  Model model = make_forearm();
  Mesh& mesh = model.meshes[0];
  const auto skin = static_cast<std::uint32_t>(mesh.positions.size());
  for (const glm::vec3 corner : {glm::vec3(6.6f, 1.1f, 0), glm::vec3(7.2f, 1.1f, 0), glm::vec3(6.9f, 1.1f, 0.5f)}) {
    mesh.positions.push_back(corner);
    if (!mesh.normals.empty()) mesh.normals.emplace_back(0, 1, 0);
    if (!mesh.uvs.empty()) mesh.uvs.emplace_back(0);
    const Influence one{1, 1};
    mesh.weights.append_row(std::span(&one, 1));
  }
  mesh.triangles.emplace_back(skin, skin + 1, skin + 2);
  if (!mesh.parts.empty()) ++mesh.parts.back().triangle_count;
  const std::vector<glm::vec3> posed = twisted(model, ffd(), 2, 150);
  for (std::uint32_t a = skin; a < skin + 3; ++a) {
    const std::uint32_t b = a + 1 < skin + 3 ? a + 1 : skin;
    EXPECT_NEAR(glm::distance(posed[a], posed[b]), glm::distance(mesh.positions[a], mesh.positions[b]), 1e-4f);
    EXPECT_NEAR(turn_of(mesh.positions[skin], posed[skin]), 150 * (6.9f / kForearm - 1) / 1.125f, 6);
  }
}

}  // namespace
}  // namespace pelt
