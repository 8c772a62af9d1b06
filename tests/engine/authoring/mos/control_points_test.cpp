// SPDX-License-Identifier: MIT
// Tests the control points that are placed along chains.
#include "engine/authoring/mos/control_points.h"

#include <algorithm>
#include <cmath>

#include "tests/engine/authoring/mos/settled_points.h"

namespace pelt::mos {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

using test::skeleton_of;

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
      for (const float fraction : {0.0f, 0.5f, 1.0f}) {
        for (const float joint_fraction : {0.0f, 0.6f, 1.0f}) {
          SCOPED_TRACE(testing::Message() << bone << ' ' << joint << ' ' << fraction << ' ' << joint_fraction);
          const ControlPoints points = settle(model, [&](MosParameters& p) {
            p.points_per_bone = bone;
            p.points_per_joint = joint;
            p.bone_fraction = fraction;
            p.joint_fraction = joint_fraction;
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
  const auto places = [](std::uint32_t count, float fraction) {
    const ControlPoints points = settle(row(), [&](MosParameters& p) {
      p.points_per_bone = count;
      p.bone_fraction = fraction;
      p.points_per_joint = 0;
    });
    const std::vector<float>& all = points.chains[0].lengths;
    return std::vector<float>(all.begin(), all.begin() + count);
  };
  EXPECT_THAT(places(1, 1), ElementsAre(1));
  EXPECT_THAT(places(2, 1), ElementsAre(0, 2));
  EXPECT_THAT(places(3, 0.5f), ElementsAre(0.5f, 1, 1.5f));
  EXPECT_THAT(places(2, 0), ElementsAre(1, 1));
  const ControlPoints together = settle(row(), [](MosParameters& p) { p.bone_fraction = 0; });
  EXPECT_THAT(together.points, SizeIs(9)) << "those at one place that turn alike are one";
}

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

// At each end of a bone a point has the twist of that end, and between them it is linear. By default the first point
// beyond a joint, unless it is the top, is 0.15 of the shorter bone away from it.
struct Twisted {
  std::vector<std::string> joints;  // of the chain
  std::vector<float> theta;         // own twists of its anchors
  std::vector<float> after;         // what goes to the bones after them; 0 at the top and at tips
};

void expect_linear_twists(const Model& model, const Twisted& of) {
  MosParameters parameters;
  along({of.joints})(parameters);
  const Result<ControlPoints> points =
      settle_points(parameters, model, {}, chain::matrices_at_bind(model, {}), true, "test",
                    [&](const chain::Curve&, std::size_t i) { return of.after[i]; });
  ASSERT_TRUE(points) << points.error().message;
  const PointChain& placed = points->chains[0];
  const std::size_t top = placed.curve.chain.top;
  const std::vector<float>& lengths = placed.curve.lengths;
  ASSERT_EQ(lengths.size(), of.joints.size());
  const auto tau = [&](std::size_t i) {
    float sum = 0;
    for (std::size_t k = i; k != top; k += k > top ? -1 : 1) sum += of.theta[k];
    return sum;
  };
  for (std::size_t k = 0; k < placed.points.size(); ++k) {
    const PointTurn& turn = *points->points[placed.points[k]].turn;
    EXPECT_TRUE(turn.roll == 0 || turn.roller != top);
    const std::size_t before = turn.far > top ? turn.far - 1 : turn.far + 1;
    const float is = std::lerp(tau(before), tau(turn.far), turn.twist) + turn.roll * of.theta[turn.roller];
    const float s = placed.lengths[k];
    std::size_t bone = 0;
    while (bone + 2 < lengths.size() && s > lengths[bone + 1]) ++bone;
    const float length = lengths[bone + 1] - lengths[bone];
    const std::size_t near = bone < top ? bone + 1 : bone;
    const std::size_t far = bone < top ? bone : bone + 1;
    float begins = 0;
    if (near != top)
      begins = 0.15f * std::min(lengths[near] - lengths[near - 1], lengths[near + 1] - lengths[near]) / length;
    const float lambda = (s - lengths[bone]) / length;
    const float along = std::max(((bone < top ? 1 - lambda : lambda) - begins) / (1 - begins), 0.0f);
    const auto at_anchor = [&](std::size_t i) { return tau(i) - of.after[i] * of.theta[i]; };
    EXPECT_NEAR(is, std::lerp(at_anchor(near), at_anchor(far), along), 1e-3) << k;
  }
}

// On a chain that runs up to its top and down again, and on one with bones between inner joints.
TEST(MosControlPoints, TwistAwayFromATop) {
  expect_linear_twists(limbs(), {{"l2", "l1", "root", "r1", "r2"}, {10, 1, 0, 2, 20}, {0, 0.75f, 0, 0.5f, 0}});
  expect_linear_twists(row(), {{"a", "b", "c", "d"}, {0, 1, 3, 20}, {0, 0.75f, 0.5f, 0}});
}

}  // namespace
}  // namespace pelt::mos
