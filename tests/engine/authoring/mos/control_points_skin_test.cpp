// SPDX-License-Identifier: MIT
// Tests control points whose distances follow the thickness of the skin.
#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <numeric>

#include <pelt/builtin.h>

#include "tests/engine/authoring/mos/settled_points.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt::mos {
namespace {

// The places of points along a chain, and how far they slide outward.
struct Layout {
  std::vector<float> at, outward;
};

Layout layout(
    const Model& model, const Change& change = [](MosParameters&) {}) {
  MosParameters parameters;
  change(parameters);
  const std::uint32_t meshes[] = {0};
  const ControlPoints points =
      test::must(settle_points(parameters, model, meshes, chain::matrices_at_bind(model, meshes), true, "test"));
  Layout result;
  for (const std::uint32_t p : points.chains.at(0).points) {
    result.at.push_back(static_cast<float>(points.points[p].position.x));
    result.outward.push_back(points.points[p].outward);
  }
  return result;
}

// The points about the second of three joints.
TEST(MosControlPoints, StandTheFartherApartTheThickerTheSkin) {
  for (const bool weighted : {true, false}) {
    for (const float radius : {0.5f, 1.0f}) {
      SCOPED_TRACE(testing::Message() << weighted << ' ' << radius);
      Model model = test::make_tube({.around = 24, .along = 48, .radius = radius, .length = 24, .joints = 3});
      if (!weighted) model.meshes[0].weights = {};
      const Layout is = layout(model);
      ASSERT_GE(is.at.size(), 9u);
      for (std::size_t k = 2; k < 7; ++k) {
        EXPECT_NEAR(is.at[k], 8 + 0.45f * radius * (static_cast<float>(k) - 4), 1e-3);
        const float part = (static_cast<float>(k) - 1) / 6;
        EXPECT_NEAR(is.outward[k], 0.135f * radius * 4 * part * (1 - part), 1e-3);
      }
      EXPECT_TRUE(std::ranges::is_sorted(is.at));
      EXPECT_LT(is.at[1], 8 - 1.5f * radius);
      for (const std::size_t on_bone : {0u, 1u, 7u, 8u}) EXPECT_EQ(is.outward[on_bone], 0);
    }
  }
}

// A calf is thicker than the knee above it.
TEST(MosControlPoints, MeasureTheSkinAtTheJoint) {
  Model model = test::make_tube({.around = 24, .along = 64, .length = 16, .joints = 2});
  const Layout even = layout(model);
  for (glm::vec3& p : model.meshes[0].positions) {
    if (std::abs(p.x - 8) > 3) p *= glm::vec3(1, 1.5f, 1.5f);
  }
  const Layout calf = layout(model);
  for (const std::size_t k : {2u, 6u}) EXPECT_NEAR(calf.at.at(k), even.at.at(k), 0.05f);
}

// A short bone on one side draws them together there, and half as much on the other.
TEST(MosControlPoints, StandFartherApartOnALongBone) {
  Model model = test::make_tube({.around = 24, .along = 48, .length = 12, .joints = 3});
  model.skeleton.joints[1].rest.translation.x = 7;
  model.skeleton.joints[2].rest.translation.x = 1;
  for (const std::size_t j : {1u, 2u}) {
    model.bound_joints[j].inverse_bind = glm::translate(glm::mat4(1), glm::vec3(j == 1 ? -7 : -8, 0, 0));
  }
  const Layout is = layout(model);
  const std::size_t joint =
      static_cast<std::size_t>(std::ranges::find_if(is.at, [](float x) { return x > 6.999f; }) - is.at.begin());
  EXPECT_NEAR(is.at[joint], 7, 1e-3);
  const float after = is.at[joint + 1] - is.at[joint];
  EXPECT_LT(after, 0.3f);
  EXPECT_NEAR(is.at[joint] - is.at[joint - 1], 2 * after, 1e-3);
  EXPECT_TRUE(std::ranges::is_sorted(is.at));
}

TEST(MosControlPoints, LeaveSpikesOut) {
  Model model = test::make_tube({.around = 24, .along = 32, .joints = 2});
  const std::vector<float> smooth = layout(model).at;
  for (const std::size_t v : {400u, 401u}) model.meshes[0].positions[v] += 2.0f * model.meshes[0].normals[v];
  const std::vector<float> spiky = layout(model).at;
  for (std::size_t k = 0; k < smooth.size(); ++k) EXPECT_NEAR(spiky[k], smooth[k], 0.05f);
}

// Two plates of armour, each on one joint, over a limb that is half as thick.
TEST(MosControlPoints, MeasureWhatBends) {
  Model model = test::make_tube({.around = 24, .along = 64});
  const Layout bare = layout(model);
  Mesh& limb = model.meshes[0];
  for (const std::uint32_t joint : {0u, 1u}) {
    const Mesh plate = test::make_tube_mesh({.around = 24, .along = 32, .radius = 2, .length = 3});
    const auto first = static_cast<std::uint32_t>(limb.positions.size());
    for (std::size_t v = 0; v < plate.positions.size(); ++v) {
      limb.positions.push_back(plate.positions[v] + glm::vec3(5 * joint, 0, 0));
      limb.normals.push_back(plate.normals[v]);
      limb.weights.append_row(std::vector<Influence>{{joint, 1.0f}});
    }
    for (const glm::uvec3 t : plate.triangles) limb.triangles.push_back(t + first);
  }
  const Layout plated = layout(model);
  EXPECT_EQ(plated.at, bare.at);
  // Within half a bone of the joint the limb has 4 of its length, each plate 1 of its own.
  const float bending = 4.0f / (4 + 2 * 2 * 1);
  for (std::size_t k = 0; k < bare.outward.size(); ++k) {
    EXPECT_NEAR(plated.outward[k], bending * bare.outward[k], 0.03f * bare.outward[k]);
  }
}

TEST(MosControlPoints, StayInOrderWhereTheSkinIsThickForItsBones) {
  for (const float radius : {1.5f, 3.0f, 10.0f}) {
    for (const std::uint32_t joints : {2u, 4u, 9u}) {
      const Layout is = layout(test::make_tube({.around = 24, .along = 36, .radius = radius, .joints = joints}));
      EXPECT_TRUE(std::ranges::is_sorted(is.at)) << radius << ' ' << joints;
      EXPECT_EQ(std::ranges::adjacent_find(is.at), is.at.end()) << radius << ' ' << joints;
    }
  }
}

// An elbow between two twist helpers, all of them 1.5 apart.
TEST(MosControlPoints, HaveTheRoomOfTwistHelpers) {
  for (const float radius : {1.0f, 3.0f}) {
    SCOPED_TRACE(radius);
    Model model =
        test::make_tube({.around = 24, .along = 36, .radius = radius, .length = 12, .joints = 8, .blend_length = 1});
    const std::vector<float> as_joints = layout(model).at;
    for (const std::size_t helper : {1u, 3u}) {
      model.skeleton.joints[helper].name = "arm_twist" + std::to_string(helper);
    }
    const Layout is = layout(model);
    EXPECT_TRUE(std::ranges::is_sorted(is.at));
    EXPECT_EQ(std::ranges::adjacent_find(is.at), is.at.end());
    const auto from_elbow = [](const std::vector<float>& at, int number) {
      const auto elbow = std::ranges::find_if(at, [](float x) { return x > 2.999f; });
      return elbow[number] - *elbow;
    };
    const float room = 3 - 0.5f * radius;
    EXPECT_NEAR(from_elbow(is.at, -2), -2 * std::min(0.45f * radius, room / 3), 1e-3);
    EXPECT_NEAR(from_elbow(is.at, 2), 2 * std::min(0.45f * radius, 0.5f * room / 3), 1e-3) << "the rest is the wrist's";
    EXPECT_LT(from_elbow(as_joints, 2), 0.7f * from_elbow(is.at, 2));
  }
}

// Settings of the rig come first.
TEST(MosControlPoints, FollowTheRigRatherThanTheSkin) {
  const Model model = test::make_tube({.around = 24, .along = 32, .joints = 2});
  const Layout is = layout(model, [](auto& p) { p.joint_fraction = 0.6f; });
  EXPECT_THAT(is.at, testing::Pointwise(testing::FloatNear(1e-4f), {1.0f, 3.0f, 3.4f, 4.0f, 4.6f, 5.0f, 7.0f}));
  EXPECT_THAT(is.outward, testing::Each(0.0f));
  EXPECT_EQ(layout(model, [](auto& p) { p.points_per_joint = 2; }).at.size(), 6u);
}

// Near a joint at which chains branch, several chains move the skin.
TEST(MosControlPoints, KeepTogetherAtHubs) {
  const Model model = make_biped();
  MosParameters parameters;
  std::vector<std::uint32_t> meshes(model.meshes.size());
  std::iota(meshes.begin(), meshes.end(), 0u);
  const ControlPoints points =
      test::must(settle_points(parameters, model, meshes, chain::matrices_at_bind(model, meshes), true, "test"));
  const auto slides = [&](const std::string& joint) {
    return std::ranges::any_of(points.points, [&](const ControlPoint& point) {
      if (!(point.outward > 0)) return false;
      const std::uint32_t at = points.turning[point.turn->chain].anchors[point.turn->far].joint;
      return model.skeleton.joints[at].name == joint;
    });
  };
  EXPECT_TRUE(slides("left_shin"));
  EXPECT_TRUE(slides("right_shin"));
  EXPECT_TRUE(slides("left_forearm"));  // the chains of the fingers begin beyond it, at the hand
  EXPECT_FALSE(slides("left_hand"));
  EXPECT_FALSE(slides("chest"));
  EXPECT_FALSE(slides("left_shoulder"));
}

}  // namespace
}  // namespace pelt::mos
