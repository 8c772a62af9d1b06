// SPDX-License-Identifier: MIT
#include "engine/mos/control_points.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <pelt/builtin.h>
#include <pelt/mos.h>

#include "engine/chain/chains.h"
#include "tests/support/skeleton.h"
#include "tests/support/tube.h"

namespace pelt::mos {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using test::Node;
using test::skeleton_of;

// Returns joints a, b, c, d along x, 2 apart.
Model row() {
  return skeleton_of({{"a", -1, {0, 0, 0}}, {"b", 0, {2, 0, 0}}, {"c", 1, {4, 0, 0}}, {"d", 2, {6, 0, 0}}});
}

// Returns two bent limbs that leave a root.
Model limbs() {
  return skeleton_of({{"root", -1, {0, 0, 0}},
                      {"l1", 0, {-2, 1, 0}},
                      {"l2", 1, {-4, 1, 1}},
                      {"r1", 0, {3, 1, 0}},
                      {"r2", 3, {4, 0, 2}}});
}

using Change = std::function<void(MosParameters&)>;

Result<ControlPoints> settled(const Model& model, const Change& change, bool angles) {
  MosParameters parameters;
  change(parameters);
  return settle_points(parameters, model, {}, chain::matrices_at_bind(model, {}), angles, "layer 1 (mos)");
}

ControlPoints settle(
    const Model& model, const Change& change = [](MosParameters&) {}, bool angles = true) {
  Result<ControlPoints> points = settled(model, change, angles);
  EXPECT_TRUE(points) << points.error().message;
  return points ? *std::move(points) : ControlPoints{};
}

std::string refusal(const Model& model, const Change& change) {
  const Result<ControlPoints> points = settled(model, change, true);
  return points ? "settled" : points.error().message;
}

// Makes one chain along each of these lists of joints, and no others.
Change along(const std::vector<std::vector<std::string>>& chains) {
  return [chains](MosParameters& p) {
    p.automatic = false;
    for (const auto& joints : chains) p.chains.push_back({"chain" + std::to_string(p.chains.size()), {}, joints});
  };
}

// The properties of a point that do not depend on the direction of its chain.
struct Seen {
  glm::vec3 at{0};
  std::string joint;
  std::string far;  // joint
  float swing = 0;
  float twist = 0;
  glm::vec3 axis{0};
};

std::vector<Seen> seen(const ControlPoints& points, const Model& model, std::size_t chain = 0) {
  std::vector<Seen> result;
  for (const std::uint32_t p : points.chains.at(chain).points) {
    const ControlPoint& point = points.points.at(p);
    Seen& own = result.emplace_back();
    own.at = glm::vec3(point.position);
    own.joint = model.skeleton.joints.at(point.joint).name;
    if (!point.turn) continue;
    const PointTurn& turn = *point.turn;
    own.far = model.skeleton.joints.at(points.turning.at(turn.chain).anchors.at(turn.far).joint).name;
    own.swing = turn.swing;
    own.twist = turn.twist;
    own.axis = turn.axis;
  }
  return result;
}

void expect_same(const std::vector<Seen>& is, const std::vector<Seen>& should) {
  ASSERT_EQ(is.size(), should.size());
  for (std::size_t k = 0; k < is.size(); ++k) {
    SCOPED_TRACE(k);
    EXPECT_LT(glm::distance(is[k].at, should[k].at), 1e-6);
    EXPECT_EQ(is[k].joint, should[k].joint);
    EXPECT_EQ(is[k].far, should[k].far);
    EXPECT_NEAR(is[k].swing, should[k].swing, 1e-6);
    EXPECT_NEAR(is[k].twist, should[k].twist, 1e-6);
    EXPECT_LT(glm::distance(is[k].axis, should[k].axis), 1e-6);
  }
}

// ----------------------------------------------------------------------------------------------------------- placed

TEST(MosControlPoints, StandAlongBonesAndAboutJoints) {
  const Model model = row();
  const glm::vec3 x(1, 0, 0);
  // Returns the part of the bone's twist at lambda: it begins at the first point beyond a joint.
  const auto beyond = [](float lambda) { return (lambda - 0.15f) / 0.85f; };
  const std::vector<Seen> should{
      {{0.5f, 0, 0}, "a", "b", 0, 0.25f, x},         {{1.5f, 0, 0}, "a", "b", 0, 0.75f, x},
      {{1.7f, 0, 0}, "a", "b", 0.25f, 0.85f, x},     {{2.0f, 0, 0}, "b", "b", 0.5f, 1, x},
      {{2.3f, 0, 0}, "b", "b", 0.75f, 1, x},         {{2.5f, 0, 0}, "b", "c", 0, beyond(0.25f), x},
      {{3.5f, 0, 0}, "b", "c", 0, beyond(0.75f), x}, {{3.7f, 0, 0}, "b", "c", 0.25f, beyond(0.85f), x},
      {{4.0f, 0, 0}, "c", "c", 0.5f, 1, x},          {{4.3f, 0, 0}, "c", "c", 0.75f, 1, x},
      {{4.5f, 0, 0}, "c", "d", 0, beyond(0.25f), x}, {{5.5f, 0, 0}, "c", "d", 0, beyond(0.75f), x}};
  const ControlPoints points = settle(model);
  ASSERT_THAT(points.chains, SizeIs(1));
  EXPECT_EQ(points.chains[0].curve.chain.name, "a..d");
  expect_same(seen(points, model), should);
  for (const ControlPoint& point : points.points) EXPECT_TRUE(point.turn && point.turn->angles);
}

// Without twists as angles, a point on a bone moves rigidly, and one about a joint still turns in part.
TEST(MosControlPoints, OnBonesMoveWithTheUpperJointAlone) {
  const ControlPoints points = settle(
      row(), [](auto&) {}, false);
  ASSERT_THAT(points.points, SizeIs(12));
  for (const std::size_t on_bone : {0u, 1u, 5u, 6u, 10u, 11u}) EXPECT_FALSE(points.points[on_bone].turn) << on_bone;
  for (const std::size_t about : {2u, 3u, 4u, 7u, 8u, 9u}) {
    ASSERT_TRUE(points.points[about].turn) << about;
    EXPECT_FALSE(points.points[about].turn->angles) << about;
  }
}

TEST(MosControlPoints, AreInOrderWhateverTheirNumber) {
  const Model model = skeleton_of(
      {{"a", -1, {0, 0, 0}}, {"b", 0, {2, 0, 0}}, {"c", 1, {2.5f, 0, 0}}, {"d", 2, {6, 0, 0}}, {"e", 3, {7, 0, 0}}});
  for (const std::uint32_t bone : {1u, 2u, 3u, 16u}) {
    for (const std::uint32_t joint : {0u, 1u, 2u, 3u, 8u}) {
      for (const float spread : {0.0f, 0.5f, 1.0f}) {
        for (const float joint_spread : {0.0f, 0.6f, 1.0f}) {
          SCOPED_TRACE(testing::Message() << bone << ' ' << joint << ' ' << spread << ' ' << joint_spread);
          const ControlPoints points = settle(model, [&](MosParameters& p) {
            p.points_per_bone = bone;
            p.points_per_joint = joint;
            p.spread = spread;
            p.joint_spread = joint_spread;
          });
          ASSERT_THAT(points.chains, SizeIs(1));
          const PointChain& chain = points.chains[0];
          ASSERT_THAT(chain.points, SizeIs(4 * bone + 3 * joint));
          ASSERT_THAT(chain.lengths, SizeIs(chain.points.size()));
          float before = 0;
          float swung = 0;
          float twisted = 0;
          for (std::size_t k = 0; k < chain.points.size(); ++k) {
            const ControlPoint& point = points.points[chain.points[k]];
            EXPECT_NEAR(point.position.x, chain.lengths[k], 1e-5);
            const float first = static_cast<float>(point.turn->far) - 1;
            EXPECT_GE(chain.lengths[k], before - 1e-6f) << k;
            EXPECT_GE(first + point.turn->swing, swung) << k;
            EXPECT_GE(first + point.turn->twist, twisted - 1e-6f) << k;
            before = chain.lengths[k];
            swung = first + point.turn->swing;
            twisted = first + point.turn->twist;
          }
        }
      }
    }
  }
}

TEST(MosControlPoints, SpreadOverTheBone) {
  const auto places = [](std::uint32_t count, float spread) {
    const ControlPoints points = settle(row(), [&](MosParameters& p) {
      p.points_per_bone = count;
      p.spread = spread;
      p.points_per_joint = 0;
    });
    const std::vector<float>& all = points.chains[0].lengths;
    return std::vector<float>(all.begin(), all.begin() + count);
  };
  EXPECT_THAT(places(1, 1), ElementsAre(1));
  EXPECT_THAT(places(2, 1), ElementsAre(0, 2));
  EXPECT_THAT(places(3, 0.5f), ElementsAre(0.5f, 1, 1.5f));
  EXPECT_THAT(places(2, 0), ElementsAre(1, 1));
  const ControlPoints together = settle(row(), [](MosParameters& p) { p.spread = 0; });
  EXPECT_THAT(together.points, SizeIs(9)) << "those at one place that turn alike are one";
}

TEST(MosControlPoints, AboutAJointHaveEvenPartsOfItsTurn) {
  for (const std::uint32_t count : {1u, 2u, 3u}) {
    const ControlPoints points = settle(row(), [&](MosParameters& p) { p.points_per_joint = count; });
    for (std::uint32_t k = 0; k < count; ++k) {
      const ControlPoint& point = points.points[points.chains[0].points[2 + k]];
      const float part = static_cast<float>(k + 1) / static_cast<float>(count + 1);
      EXPECT_FLOAT_EQ(point.turn->swing, part);
      EXPECT_NEAR(point.position.x, 2 + 1.2f * (part - 0.5f), 1e-6);
      EXPECT_EQ(point.joint, part < 0.5f ? 0u : 1u);
    }
  }
}

// --------------------------------------------------------------------------------------------------------- the chain

TEST(MosControlPoints, DoNotDependOnTheChainsDirection) {
  const Model model = limbs();
  const ControlPoints down = settle(model, along({{"root", "r1", "r2"}}));
  const ControlPoints up = settle(model, along({{"r2", "r1", "root"}}));
  EXPECT_EQ(up.turning[0].top, 2u);
  std::vector<Seen> reversed = seen(up, model);
  std::reverse(reversed.begin(), reversed.end());
  expect_same(reversed, seen(down, model));
}

TEST(MosControlPoints, OfAChainWithItsTopInsideAreThoseOfBothSides) {
  const Model model = limbs();
  const ControlPoints left = settle(model, along({{"root", "l1", "l2"}}));
  const ControlPoints right = settle(model, along({{"root", "r1", "r2"}}));
  const ControlPoints both = settle(model, along({{"l2", "l1", "root", "r1", "r2"}}));
  EXPECT_EQ(both.turning[0].top, 2u);
  std::vector<Seen> should = seen(left, model);
  std::reverse(should.begin(), should.end());
  const std::vector<Seen> rest = seen(right, model);
  should.insert(should.end(), rest.begin(), rest.end());
  expect_same(seen(both, model), should);
}

TEST(MosControlPoints, OverTheSameBonesAreShared) {
  const Model model =
      skeleton_of({{"a", -1, {0, 0, 0}}, {"b", 0, {2, 0, 0}}, {"c", 1, {4, 0, 0}}, {"d", 1, {2, 2, 0}}});
  const ControlPoints fork = settle(model, along({{"a", "b", "c"}, {"a", "b", "d"}}), false);
  ASSERT_THAT(fork.chains, SizeIs(2));
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_EQ(fork.chains[0].points[k] == fork.chains[1].points[k], k < 4) << k << " up to the joint itself";
  }
  EXPECT_THAT(fork.points, SizeIs(10));
  // A twist for one branch is a swing for the other.
  EXPECT_THAT(settle(model, along({{"a", "b", "c"}, {"a", "b", "d"}}), true).points, SizeIs(14));
  const Model longer = skeleton_of(
      {{"a", -1, {0, 0, 0}}, {"b", 0, {2, 0, 0}}, {"e", 1, {4, 0, 0}}, {"c", 2, {6, 0, 0}}, {"d", 2, {4, 2, 0}}});
  const ControlPoints later = settle(longer, along({{"a", "b", "e", "c"}, {"a", "b", "e", "d"}}), true);
  for (std::size_t k = 0; k < 12; ++k) {
    EXPECT_EQ(later.chains[0].points[k] == later.chains[1].points[k], k < 5) << k << " up to the bone before the fork";
  }
  // Twists count from the top of a chain.
  EXPECT_THAT(settle(model, along({{"a", "b", "c"}, {"b", "c"}}), false).points, SizeIs(7));
  EXPECT_THAT(settle(model, along({{"a", "b", "c"}, {"b", "c"}}), true).points, SizeIs(9));
}

// ------------------------------------------------------------------------------------------------------------- twist

// Returns Theta of the points of a chain, away from its top, if every anchor i twists by theta[i].
std::vector<float> twists(const ControlPoints& points, const std::vector<float>& theta) {
  const chain::Chain& chain = points.chains[0].curve.chain;
  const auto tau = [&](std::size_t i) {
    float sum = 0;
    for (std::size_t k = i; k != chain.top; k += k > chain.top ? -1 : 1) sum += theta[k];
    return sum;
  };
  std::vector<float> result;
  for (const std::uint32_t p : points.chains[0].points) {
    const PointTurn& turn = *points.points[p].turn;
    const std::size_t near = turn.far > chain.top ? turn.far - 1 : turn.far + 1;
    EXPECT_TRUE(turn.roll == 0 || turn.roller != chain.top);
    result.push_back(std::lerp(tau(near), tau(turn.far), turn.twist) + turn.roll * theta[turn.roller]);
  }
  return result;
}

// At each end of a bone the point has the twist of that end, and between them it is linear. By default the first point
// beyond a joint is 0.15 of the shorter bone away from it.
constexpr float kBegins = 0.15f;

// The joints are in a row, 2 apart.
TEST(MosControlPoints, TwistEvenlyAlongEveryBone) {
  const Model model = row();
  const std::vector<float> theta{0, 1, 10, 100};
  MosParameters parameters;
  for (const float after_b : {0.0f, 0.25f, 1.0f}) {
    for (const float after_c : {0.0f, 0.5f, 1.0f}) {
      SCOPED_TRACE(testing::Message() << after_b << ' ' << after_c);
      const Result<ControlPoints> points =
          settle_points(parameters, model, {}, chain::matrices_at_bind(model, {}), true, "test",
                        [&](const chain::Curve&, std::size_t i) { return i == 1 ? after_b : after_c; });
      ASSERT_TRUE(points);
      const std::vector<float> at_anchor{0, 1 - after_b, 11 - 10 * after_c, 111};
      const std::vector<float> is = twists(*points, theta);
      for (std::size_t k = 0; k < is.size(); ++k) {
        const float s = points->chains[0].lengths[k] / 2;
        const auto bone = std::min(static_cast<std::size_t>(s), std::size_t{2});
        const float begins = bone == 0 ? 0.0f : kBegins;
        const float along = std::max((s - static_cast<float>(bone) - begins) / (1 - begins), 0.0f);
        EXPECT_NEAR(is[k], std::lerp(at_anchor[bone], at_anchor[bone + 1], along), 1e-3) << k;
      }
    }
  }
}

// The same on a chain that runs up to its top and down again.
TEST(MosControlPoints, TwistAwayFromATopInside) {
  const Model model = limbs();
  MosParameters parameters;
  along({{"l2", "l1", "root", "r1", "r2"}})(parameters);
  const Result<ControlPoints> points =
      settle_points(parameters, model, {}, chain::matrices_at_bind(model, {}), true, "test",
                    [](const chain::Curve&, std::size_t i) { return i == 1 ? 0.75f : 0.5f; });
  ASSERT_TRUE(points) << points.error().message;
  ASSERT_EQ(points->chains[0].curve.chain.top, 2u);
  const std::vector<float> is = twists(*points, {10, 1, 0, 2, 20});
  const std::vector<float> at_anchor{11, 0.25f, 0, 1, 22};
  const std::vector<float>& lengths = points->chains[0].curve.lengths;
  for (std::size_t k = 0; k < is.size(); ++k) {
    const float s = points->chains[0].lengths[k];
    std::size_t bone = 0;
    while (bone < 3 && s > lengths[bone + 1]) ++bone;
    const float length = lengths[bone + 1] - lengths[bone];
    const bool is_last = bone == 0 || bone == 3;  // its near end is a joint with points about it
    const std::size_t joint = bone == 0 ? 1 : 3;
    const float shorter = std::min(lengths[joint] - lengths[joint - 1], lengths[joint + 1] - lengths[joint]);
    const float begins = is_last ? kBegins * shorter / length : 0.0f;
    const float lambda = (s - lengths[bone]) / length;
    const float along = std::max(((bone < 2 ? 1 - lambda : lambda) - begins) / (1 - begins), 0.0f);
    const std::size_t near = bone < 2 ? bone + 1 : bone;
    const std::size_t far = bone < 2 ? bone : bone + 1;
    EXPECT_NEAR(is[k], std::lerp(at_anchor[near], at_anchor[far], along), 1e-3) << k;
  }
}

// -------------------------------------------------------------------------------------------------- by the skin

// The places of points along a chain, and how far they slide outward.
struct Spread {
  std::vector<float> at, outward;
};

Spread spread(
    const Model& model, const Change& change = [](MosParameters&) {}) {
  MosParameters parameters;
  change(parameters);
  const std::uint32_t meshes[] = {0};
  const Result<ControlPoints> points =
      settle_points(parameters, model, meshes, chain::matrices_at_bind(model, meshes), true, "test");
  EXPECT_TRUE(points) << points.error().message;
  Spread result;
  for (const std::uint32_t p : points->chains.at(0).points) {
    result.at.push_back(static_cast<float>(points->points[p].position.x));
    result.outward.push_back(points->points[p].outward);
  }
  return result;
}

// The points about the second of three joints.
TEST(MosControlPoints, StandAsFarApartAsTheSkinIsThick) {
  for (const bool weighted : {true, false}) {
    for (const float radius : {0.5f, 1.0f}) {
      SCOPED_TRACE(testing::Message() << weighted << ' ' << radius);
      Model model = test::make_tube({.around = 24, .along = 48, .radius = radius, .length = 24, .joints = 3});
      if (!weighted) model.meshes[0].weights = {};
      const Spread is = spread(model);
      ASSERT_GE(is.at.size(), 9u);
      for (std::size_t k = 2; k < 7; ++k) {
        EXPECT_NEAR(is.at[k], 8 + 0.8f * radius * (static_cast<float>(k) - 4), 1e-3);
        const float part = (static_cast<float>(k) - 1) / 6;
        EXPECT_NEAR(is.outward[k], 0.32f * radius * 4 * part * (1 - part), 1e-3);
      }
      EXPECT_TRUE(std::ranges::is_sorted(is.at));
      EXPECT_LT(is.at[1], 8 - 2.4f * radius);
      for (const std::size_t on_bone : {0u, 1u, 7u, 8u}) EXPECT_EQ(is.outward[on_bone], 0);
    }
  }
}

// A short bone on one side draws them together there, and half as much on the other.
TEST(MosControlPoints, StandFartherApartOnALongBone) {
  Model model = test::make_tube({.around = 24, .along = 48, .length = 12, .joints = 3});
  model.skeleton.joints[1].rest.translation.x = 7;
  model.skeleton.joints[2].rest.translation.x = 1;
  for (const std::size_t j : {1u, 2u}) {
    model.bound_joints[j].inverse_bind = glm::translate(glm::mat4(1), glm::vec3(j == 1 ? -7 : -8, 0, 0));
  }
  const Spread is = spread(model);
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
  const std::vector<float> smooth = spread(model).at;
  for (const std::size_t v : {400u, 401u}) model.meshes[0].positions[v] += 2.0f * model.meshes[0].normals[v];
  const std::vector<float> spiky = spread(model).at;
  for (std::size_t k = 0; k < smooth.size(); ++k) EXPECT_NEAR(spiky[k], smooth[k], 0.05f);
}

TEST(MosControlPoints, StayInOrderWhereTheSkinIsThickForItsBones) {
  for (const float radius : {1.5f, 3.0f, 10.0f}) {
    for (const std::uint32_t joints : {2u, 4u, 9u}) {
      const Spread is = spread(test::make_tube({.around = 24, .along = 36, .radius = radius, .joints = joints}));
      EXPECT_TRUE(std::ranges::is_sorted(is.at)) << radius << ' ' << joints;
      EXPECT_EQ(std::ranges::adjacent_find(is.at), is.at.end()) << radius << ' ' << joints;
    }
  }
}

// An elbow between two twist helpers, all of them 1.5 apart.
TEST(MosControlPoints, HaveTheRoomOfTwistHelpers) {
  for (const float radius : {1.0f, 3.0f}) {
    SCOPED_TRACE(radius);
    Model model = test::make_tube({.around = 24, .along = 36, .radius = radius, .length = 12, .joints = 8});
    const std::vector<float> as_joints = spread(model).at;
    for (const std::size_t helper : {1u, 3u}) {
      model.skeleton.joints[helper].name = "arm_twist" + std::to_string(helper);
    }
    const Spread is = spread(model);
    EXPECT_TRUE(std::ranges::is_sorted(is.at));
    EXPECT_EQ(std::ranges::adjacent_find(is.at), is.at.end());
    const auto from_elbow = [](const std::vector<float>& at, int number) {
      const auto elbow = std::ranges::find_if(at, [](float x) { return x > 2.999f; });
      return elbow[number] - *elbow;
    };
    const float room = 3 - 0.5f * radius;
    EXPECT_NEAR(from_elbow(is.at, -2), -2 * std::min(0.8f * radius, room / 3), 1e-3);
    EXPECT_NEAR(from_elbow(is.at, 2), 2 * std::min(0.8f * radius, 0.5f * room / 3), 1e-3) << "the rest is the wrist's";
    EXPECT_LT(from_elbow(as_joints, 2), 0.7f * from_elbow(is.at, 2));
  }
}

// Settings of the rig come first.
TEST(MosControlPoints, FollowTheRigRatherThanTheSkin) {
  const Model model = test::make_tube({.around = 24, .along = 32, .joints = 2});
  const Spread is = spread(model, [](auto& p) { p.joint_spread = 0.6f; });
  EXPECT_THAT(is.at, testing::Pointwise(testing::FloatNear(1e-4f), {1.0f, 3.0f, 3.4f, 4.0f, 4.6f, 5.0f, 7.0f}));
  EXPECT_THAT(is.outward, testing::Each(0.0f));
  EXPECT_EQ(spread(model, [](auto& p) { p.points_per_joint = 2; }).at.size(), 6u);
}

// Beside a joint where chains branch, several chains move the skin.
TEST(MosControlPoints, KeepTogetherAtHubs) {
  const Model model = make_biped();
  MosParameters parameters;
  std::vector<std::uint32_t> meshes(model.meshes.size());
  std::iota(meshes.begin(), meshes.end(), 0u);
  const Result<ControlPoints> points =
      settle_points(parameters, model, meshes, chain::matrices_at_bind(model, meshes), true, "test");
  ASSERT_TRUE(points) << points.error().message;
  const auto slides = [&](const std::string& joint) {
    return std::ranges::any_of(points->points, [&](const ControlPoint& point) {
      if (!(point.outward > 0)) return false;
      const std::uint32_t at = points->turning[point.turn->chain].anchors[point.turn->far].joint;
      return model.skeleton.joints[at].name == joint;
    });
  };
  EXPECT_TRUE(slides("left_shin"));
  EXPECT_TRUE(slides("right_shin"));
  EXPECT_FALSE(slides("left_forearm"));  // beside a hand, where the chains of the fingers begin
  EXPECT_FALSE(slides("chest"));
  EXPECT_FALSE(slides("left_shoulder"));
}

// ------------------------------------------------------------------------------------------------------------- given

Change given(const std::vector<MosPoint>& points) {
  return [points](MosParameters& p) {
    p.automatic = false;
    p.chains = {{"own", points, {}}};
  };
}

TEST(MosControlPoints, AreWhereTheRigGivesThem) {
  const Model model = row();
  const Change change =
      given({{"start", "a", {0, 1, 0}}, {"", "b", {0, 1, 0}, true}, {"", "b", {1, 1, 0}}, {"", "c", {}}});
  const ControlPoints points = settle(model, change, false);
  ASSERT_THAT(points.points, SizeIs(4));
  EXPECT_EQ(points.points[0].name, "start");
  const std::vector<Seen> own = seen(points, model);
  EXPECT_EQ(own[0].at, glm::vec3(0, 1, 0));
  EXPECT_EQ(own[2].at, glm::vec3(3, 1, 0));
  EXPECT_EQ(own[2].joint, "b");
  EXPECT_EQ(own[3].at, glm::vec3(4, 0, 0));
  EXPECT_THAT(points.chains[0].lengths, ElementsAre(0, 2, 3, testing::FloatEq(3 + std::sqrt(2.0f))));
  for (const std::size_t rigid : {0u, 2u, 3u}) EXPECT_FALSE(points.points[rigid].turn) << rigid;
  ASSERT_TRUE(points.points[1].turn);
  EXPECT_EQ(own[1].far, "b");
  EXPECT_EQ(own[1].swing, 0.5f);
  EXPECT_FALSE(points.points[1].turn->angles);

  const std::vector<Seen> turned = seen(settle(model, change, true), model);
  EXPECT_EQ(turned[0].twist, 0) << "the top";
  EXPECT_EQ(turned[1].twist, 0.5f);
  EXPECT_EQ(turned[2].twist, 1);
  EXPECT_EQ(turned[3].twist, 1);
  EXPECT_EQ(turned[3].far, "c");
}

TEST(MosControlPoints, ThatBisectTheTopAreRigid) {
  const ControlPoints points = settle(row(), given({{"", "a", {}, true}, {"", "b", {}}}), true);
  EXPECT_EQ(points.points[0].turn->swing, 0);
  EXPECT_EQ(points.points[0].turn->twist, 0);
}

TEST(MosControlPoints, MayStandTogether) {
  const ControlPoints points = settle(row(), given({{"p", "a", {}}, {"q", "a", {}}, {"r", "b", {}}}), true);
  EXPECT_THAT(points.points, SizeIs(3)) << "by names";
  EXPECT_EQ(points.chains[0].curve.chain.anchors.size(), 2u);
  EXPECT_LT(points.chains[0].lengths[0], points.chains[0].lengths[1]);
  EXPECT_THAT(settle(row(), given({{"", "a", {}}, {"", "a", {}}, {"", "b", {}}}), true).points, SizeIs(3));
}

TEST(MosControlPoints, MayBeAlone) {
  const ControlPoints points = settle(row(), given({{"p", "b", {0, 1, 0}}}));
  ASSERT_THAT(points.points, SizeIs(1));
  EXPECT_EQ(points.points[0].position, glm::dvec3(2, 1, 0));
  EXPECT_FALSE(points.points[0].turn);
  EXPECT_THAT(points.chains[0].points, ElementsAre(0, 0));
  EXPECT_LT(points.chains[0].lengths[0], points.chains[0].lengths[1]);
  EXPECT_THAT(points.notes, IsEmpty());
}

TEST(MosControlPoints, OfJointsThatAreNoChainHaveNoTwist) {
  const Change change = given({{"", "a", {}}, {"", "b", {}, true}, {"", "a", {0, 1, 0}}});
  const ControlPoints points = settle(row(), change, true);
  const auto cannot_bisect = HasSubstr("Point 2 of the chain 'own' follows 'b' as a whole");
  EXPECT_THAT(points.notes, ElementsAre(cannot_bisect, AllOf(HasSubstr("'own'"), HasSubstr("no twist"))));
  for (const ControlPoint& point : points.points) EXPECT_FALSE(point.turn);
  EXPECT_THAT(points.turning, IsEmpty());
  EXPECT_THAT(settle(row(), change, false).notes, ElementsAre(cannot_bisect));
}

TEST(MosControlPoints, ReplaceAnAutomaticChainByName) {
  const Model model = row();
  const std::vector<MosPoint> own{{"", "a", {}}, {"", "d", {}}};
  const auto names = [&](const std::string& name) {
    std::vector<std::string> result;
    for (const PointChain& chain : settle(model, [&](auto& p) { p.chains = {{name, own, {}}}; }).chains) {
      result.push_back(chain.curve.chain.name);
    }
    return result;
  };
  EXPECT_THAT(names("other"), ElementsAre("a..d", "other"));
  EXPECT_THAT(names("a..d"), ElementsAre("a..d"));
  EXPECT_THAT(settle(model, [&](auto& p) { p.chains = {{"a..d", own, {}}}; }).points, SizeIs(2));
}

std::vector<std::string> names_of(const ControlPoints& points, std::size_t chain = 0) {
  std::vector<std::string> names;
  for (const std::uint32_t p : points.chains.at(chain).points) names.push_back(points.points.at(p).name);
  return names;
}

void expect_unique(const ControlPoints& points, const Model& model) {
  std::set<std::string> names;
  for (const Joint& joint : model.skeleton.joints) names.insert(joint.name);
  for (const ControlPoint& point : points.points) {
    EXPECT_EQ(point.placed, !point.name.empty());
    EXPECT_TRUE(names.insert(point.name).second) << point.name;
  }
}

TEST(MosControlPoints, ThatArePlacedAreNumberedAlongTheirChain) {
  const Model model = row();
  const ControlPoints points = settle(model, [](auto& p) { p.points_per_joint = p.points_per_bone = 1; });
  EXPECT_THAT(names_of(points), ElementsAre("a..d.1", "a..d.2", "a..d.3", "a..d.4", "a..d.5"));
  expect_unique(points, model);
  expect_unique(settle(limbs()), limbs());
}

TEST(MosControlPoints, ThatChainsShareHaveTheFirstOnesName) {
  const auto change = [](MosParameters& p) {
    along({{"a", "b", "c"}, {"a", "b", "c", "d"}})(p);
    p.points_per_joint = p.points_per_bone = 1;
  };
  const ControlPoints points = settle(row(), change);
  EXPECT_THAT(names_of(points, 0), ElementsAre("chain0.1", "chain0.2", "chain0.3"));
  EXPECT_THAT(names_of(points, 1), ElementsAre("chain0.1", "chain0.2", "chain1.3", "chain1.4", "chain1.5"))
      << "on its last bone a chain twists by itself";
  expect_unique(points, row());
}

TEST(MosControlPoints, ThatArePlacedAreCalledAsNothingElseIs) {
  const Model model = skeleton_of({{"a", -1, {0, 0, 0}}, {"a..c.1", 0, {2, 0, 0}}, {"c", 1, {4, 0, 0}}});
  const auto change = [](MosParameters& p) {
    p.points_per_joint = p.points_per_bone = 1;
    p.chains = {{"own", {{"a..c.3", "a", {}}, {"a..c.1.2", "c", {}}}, {}}};
  };
  const ControlPoints points = settle(model, change);
  EXPECT_THAT(names_of(points), ElementsAre("a..c.1.3", "a..c.2", "a..c.3.2"));
  EXPECT_THAT(names_of(points, 1), ElementsAre("a..c.3", "a..c.1.2"));
}

TEST(MosControlPoints, SayWhatIsWrongWithThem) {
  EXPECT_THAT(refusal(row(), given({{"", "a", {}}, {"", "a", {}}})),
              AllOf(HasSubstr("layer 1 (mos): chain 'own'"), HasSubstr("at one place")));
  EXPECT_THAT(refusal(row(), given({{"", "a", {}}, {"", "bb", {}}})),
              AllOf(HasSubstr("layer 1 (mos): chain 'own'"), HasSubstr("'bb'"), HasSubstr("'b'")));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal(row(), given({{"", "a", {}}, {"", "b", {0, nan, 0}}})), HasSubstr("an offset is not finite"));
  EXPECT_THAT(refusal(row(), given({{"", "a", {}}, {"", "b", {0, 1e20f, 0}}})), HasSubstr("longer than 1e+12 m"));
  EXPECT_THAT(refusal(row(), along({{"a", "nowhere"}})), AllOf(HasSubstr("layer 1 (mos): "), HasSubstr("'nowhere'")));
  EXPECT_THAT(refusal(row(), [](auto& p) { p.remove = {"a..e"}; }), AllOf(HasSubstr("'a..e'"), HasSubstr("'a..d'")));
}

}  // namespace
}  // namespace pelt::mos
