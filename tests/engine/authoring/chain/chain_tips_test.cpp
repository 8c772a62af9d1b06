// SPDX-License-Identifier: MIT
// Tests the ends of curves.
#include <gmock/gmock.h>

#include <pelt/builtin.h>

#include "tests/engine/authoring/chain/small_chains.h"

namespace pelt::chain {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::UnorderedElementsAre;

using test::skeleton_of;

// A root on the ground, on which a body and the target of a foot hang.
TEST(Chains, RootOutsideTheSkinJoinsNothing) {
  Model model = skeleton_of({{"scene", -1, {0, -5, 0}},
                             {"left", 0, {1, 0, 0}},
                             {"left_end", 1, {2, 0, 0}},
                             {"right", 0, {-1, 0, 0}},
                             {"right_end", 3, {-2, 0, 0}}});
  add_skin(model, 1, {1, 0, 0}, {{3, 2, -2}, {-3, 2, -2}, {0, -2, -2}});
  add_skin(model, 2, {2, 0, 0}, {{0, 0, 3}});
  add_skin(model, 3, {-1, 0, 0}, {{0, 0, 3}});
  add_skin(model, 4, {-2, 0, 0}, {{0, 0, 3}});
  model.meshes[0].triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  EXPECT_THAT(names(chains_of(model)), UnorderedElementsAre("left..left_end", "right..right_end"));
  EXPECT_THAT(chains_of(model).notes, Contains(HasSubstr("'scene'")));

  for (const std::size_t j : {1u, 3u}) model.skeleton.joints[j].rest.translation.y -= 5;
  model.skeleton.joints[0].rest.translation.y += 5;  // the root is now inside the skin
  EXPECT_THAT(names(chains_of(model)), UnorderedElementsAre("left_end..right_end"));
}

TEST(Chains, TipReachesTheEndOfTheSkin) {
  const Model limb = make_limb({.radius = 0.5f});
  const Chains chains = chains_of(limb);
  ASSERT_THAT(chains.chains, SizeIs(1));
  ASSERT_THAT(chains.chains[0].anchors, SizeIs(3));
  EXPECT_NEAR(glm::distance(chains.chains[0].anchors[2].position, glm::vec3(8, 0, 0)), 0, 0.05f);
  EXPECT_EQ(chains.chains[0].anchors[2].joint, 1u);
}

TEST(Chains, TipNeverPointsBack) {
  for (const glm::vec3 centre : {glm::vec3(-1, 0, 0), {-1, 1, 0}, {0, 1, 0}, {-1, 0.1f, 0}, {0, 0, 0}, {1, 1, 0}}) {
    Model model = skeleton_of({{"a", -1, {-2, 0, 0}}, {"b", 0, {0, 0, 0}}});
    add_skin(model, 0, {-2, 0, 0}, {{-2, 0, 0}});
    add_skin(model, 1, {0, 0, 0}, {centre + glm::vec3(0, 0, 0.3f), centre - glm::vec3(0, 0, 0.3f), centre});
    const Chains chains = chains_of(model);
    ASSERT_THAT(chains.chains, SizeIs(1));
    ASSERT_THAT(chains.chains[0].anchors, SizeIs(3));
    const glm::vec3 tip = chains.chains[0].anchors[2].position;
    EXPECT_GE(tip.x, -1e-6f) << testing::PrintToString(centre.x);
    EXPECT_GT(glm::length(tip), 0.02f);
    EXPECT_LT(glm::length(tip), 2.0f);
  }
}

TEST(Chains, EndNodeIsTheTip) {
  Model model = skeleton_of({{"neck", -1, {0, 0, 0}},
                             {"head", 0, {0, 1, 0}},
                             {"head_end", 1, {0.1f, 2.1f, 0}},
                             {"hat_slot", 1, {0, 1.1f, 0}},
                             {"eye_target", 1, {0, 1, 9}}});
  add_skin(model, 0, {0, 0, 0}, {{0, 0, 0}});
  add_skin(model, 1, {0, 1, 0}, {{0, 1, 0}, {0.3f, 1.5f, 0}, {-0.3f, 1.5f, 0}, {0, 2, 0}});
  const Chain chain = chains_of(model).chains.at(0);
  ASSERT_THAT(chain.anchors, SizeIs(3));
  EXPECT_EQ(chain.anchors[2].position, glm::vec3(0.1f, 2.1f, 0));
  EXPECT_EQ(chain.anchors[2].joint, 1u);
}

TEST(Chains, SkullGetsATipBesideHorns) {
  Model model = skeleton_of({{"neck", -1, {0, 0, 0}},
                             {"head", 0, {0, 1, 0}},
                             {"left_horn", 1, {0.2f, 1.2f, 0.5f}},
                             {"right_horn", 1, {-0.2f, 1.2f, 0.5f}}});
  add_skin(model, 0, {0, 0, 0}, {{0, 0, 0}});
  add_skin(model, 1, {0, 1, 0}, {{0.3f, 1.5f, 0}, {-0.3f, 1.5f, 0}, {0, 2, 0}, {0, 1.8f, 0}});
  add_skin(model, 2, {0.2f, 1.2f, 0.5f}, {{0.2f, 1.2f, 0.6f}});
  add_skin(model, 3, {-0.2f, 1.2f, 0.5f}, {{-0.2f, 1.2f, 0.6f}});
  const Chains chains = chains_of(model);
  EXPECT_THAT(names(chains), UnorderedElementsAre("neck..head", "left_horn..right_horn"));
  EXPECT_EQ(linkage_of(chains, model, "head").linkage, Linkage::kCross);
}

TEST(Chains, SingleJointWithSkinIsACurve) {
  Model model = skeleton_of({{"lonely", -1, {0, 0, 0}}});
  add_skin(model, 0, {0, 0, 0}, {{0, 0, 1}, {0, 0, 2}});
  const Chains chains = chains_of(model);
  ASSERT_THAT(names(chains), ElementsAre("lonely"));
  EXPECT_EQ(chains.chains[0].anchors[1].position, glm::vec3(0, 0, 2));
}

}  // namespace
}  // namespace pelt::chain
