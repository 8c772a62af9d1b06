// SPDX-License-Identifier: MIT
// Tests control points from a rig, and the names of points.
#include <cmath>
#include <limits>
#include <set>

#include "tests/engine/authoring/mos/settled_points.h"

namespace pelt::mos {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using test::skeleton_of;

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
  const std::vector<Seen> settled = seen(points, model);
  EXPECT_EQ(settled[0].at, glm::vec3(0, 1, 0));
  EXPECT_EQ(settled[2].at, glm::vec3(3, 1, 0));
  EXPECT_EQ(settled[2].joint, "b");
  EXPECT_EQ(settled[3].at, glm::vec3(4, 0, 0));
  EXPECT_THAT(points.chains[0].lengths, ElementsAre(0, 2, 3, testing::FloatEq(3 + std::sqrt(2.0f))));
  for (const std::size_t rigid : {0u, 2u, 3u}) EXPECT_FALSE(points.points[rigid].turn) << rigid;
  ASSERT_TRUE(points.points[1].turn);
  EXPECT_EQ(settled[1].far, "b");
  EXPECT_EQ(settled[1].swing, 0.5f);
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
  const auto cannot_bisect = HasSubstr("point 2 of chain 'own' follows 'b' as a whole");
  EXPECT_THAT(points.notes, ElementsAre(cannot_bisect, AllOf(HasSubstr("'own'"), HasSubstr("cannot twist"))));
  for (const ControlPoint& point : points.points) EXPECT_FALSE(point.turn);
  EXPECT_THAT(points.turning, IsEmpty());
  EXPECT_THAT(settle(row(), change, false).notes, ElementsAre(cannot_bisect));
}

TEST(MosControlPoints, ReplaceAnAutomaticChainByName) {
  const Model model = row();
  const std::vector<MosPoint> ends{{"", "a", {}}, {"", "d", {}}};
  const auto names = [&](const std::string& name) {
    std::vector<std::string> result;
    for (const PointChain& chain : settle(model, [&](auto& p) { p.chains = {{name, ends, {}}}; }).chains) {
      result.push_back(chain.curve.chain.name);
    }
    return result;
  };
  EXPECT_THAT(names("other"), ElementsAre("a..d", "other"));
  EXPECT_THAT(names("a..d"), ElementsAre("a..d"));
  EXPECT_THAT(settle(model, [&](auto& p) { p.chains = {{"a..d", ends, {}}}; }).points, SizeIs(2));
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
              AllOf(HasSubstr("layer 0 (mos): chain 'own'"), HasSubstr("coincide")));
  EXPECT_THAT(refusal(row(), given({{"", "a", {}}, {"", "bb", {}}})),
              AllOf(HasSubstr("layer 0 (mos): chain 'own'"), HasSubstr("'bb'"), HasSubstr("'b'")));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal(row(), given({{"", "a", {}}, {"", "b", {0, nan, 0}}})), HasSubstr("an offset is not finite"));
  EXPECT_THAT(refusal(row(), given({{"", "a", {}}, {"", "b", {0, 1e20f, 0}}})), HasSubstr("longer than 1e+12 m"));
  EXPECT_THAT(refusal(row(), along({{"a", "nowhere"}})), AllOf(HasSubstr("layer 0 (mos): "), HasSubstr("'nowhere'")));
  EXPECT_THAT(refusal(row(), [](auto& p) { p.remove = {"a..e"}; }), AllOf(HasSubstr("'a..e'"), HasSubstr("'a..d'")));
}

}  // namespace
}  // namespace pelt::mos
