// SPDX-License-Identifier: MIT
// Tests which skin falls back to linear blend (from_skin::Armpits), on a tube whose names make it an arm.
#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <string>
#include <utility>

#include <pelt/linear_blend.h>
#include <pelt/pack.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

class ArmpitsOfATube : public testing::Test {
 protected:
  ArmpitsOfATube() {
    for (Joint& joint : plain_.skeleton.joints) joint.name = "plain_" + joint.name.substr(joint.name.find("_") + 1);
  }

  // Returns the skin with the second joint bent by 90 degrees, moved by `motion` as a whole.
  static std::vector<glm::vec3> bent(const Model& model, DeformerParameters deformer,
                                     const glm::mat4& motion = glm::mat4(1.0f), float degrees = 90) {
    std::vector<glm::mat4> joints = test::bent(model, degrees);
    for (glm::mat4& joint : joints) joint = motion * joint;
    return test::posed(test::bound(model, test::rig_of(std::move(deformer))).character, joints, "tube");
  }

  std::size_t most_influences(const SurfaceFfdParameters& parameters) const {
    const Character character = test::bound(arm_, test::rig_of(parameters)).character;
    const SparseRows rows = unpack_rows(test::mesh_of(character, "tube").binding);
    std::size_t most = 0;
    for (std::size_t v = 0; v < rows.row_count(); ++v) most = std::max(most, rows.row(v).size());
    return most;
  }

  Model arm_ = test::make_arm();
  Model plain_ = arm_;
};

TEST_F(ArmpitsOfATube, GoTowardsLinearBlend) {
  const std::vector<glm::vec3> linear = bent(plain_, LinearBlendParameters{});
  const std::vector<glm::vec3> turned = bent(plain_, SurfaceFfdParameters{});
  const std::vector<glm::vec3> pulled = bent(arm_, SurfaceFfdParameters{});
  std::size_t nearer = 0;
  for (std::size_t v = 0; v < linear.size(); ++v) {
    const float left = glm::distance(pulled[v], linear[v]);
    EXPECT_LE(left, glm::distance(turned[v], linear[v]) + 0.02f) << v;
    nearer += left < 0.7f * glm::distance(turned[v], linear[v]) - 0.02f ? 1 : 0;
  }
  EXPECT_GT(nearer, 50u);
}

TEST_F(ArmpitsOfATube, MoveWithTheWhole) {
  const glm::mat4 motion = glm::rotate(glm::translate(glm::mat4(1.0f), {1, -2, 3}), 1.0f, glm::vec3(0.6f, 0, 0.8f));
  const auto moved = [&](const glm::vec3& p) { return glm::vec3(motion * glm::vec4(p, 1.0f)); };
  for (const Precision precision : {Precision::kLinear, Precision::kQuadratic}) {
    SurfaceFfdParameters parameters;
    parameters.precision = precision;
    EXPECT_LT(test::worst_distance(arm_.meshes[0].positions, bent(arm_, parameters, motion, 0), moved),
              test::kTubeTolerance);
    EXPECT_GT(test::farthest(bent(arm_, parameters), bent(plain_, parameters)), 0.05f);
  }
}

TEST_F(ArmpitsOfATube, HaveAFewInfluencesMore) {
  SurfaceFfdParameters parameters;
  parameters.influences = 3;
  EXPECT_GT(most_influences(parameters), 3u);
  EXPECT_LE(most_influences(parameters), 7u);
  parameters.influences = 0;
  EXPECT_GT(most_influences(parameters), 12u);
}

TEST_F(ArmpitsOfATube, AreOfDriversByDualQuaternionsAlone) {
  SurfaceFfdParameters linear, basic, as_painted;
  linear.driver.follow = Follow::kLinearBlend;
  basic.mode = SurfaceFfdParameters::Mode::kBasic;
  as_painted.driver.spread = 0.0f;
  for (SurfaceFfdParameters parameters : {linear, basic, as_painted}) {
    parameters.driver.twist = Twist::kNone;  // along upper arms, which have names, too
    EXPECT_EQ(bent(arm_, parameters), bent(plain_, parameters));
  }
}

TEST_F(ArmpitsOfATube, AreBesideTheVerticesThatKeyPosesMove) {
  const auto keyed = [](const std::string& joint) {
    SurfaceFfdParameters parameters;
    parameters.driver.twist = Twist::kNone;
    parameters.driver.key_poses = {
        {.angles = {{.joint = joint}}, .poses = {{.degrees = {30}, .offsets = {{0, {0, 0.01f, 0}}}}}}};
    return parameters;
  };
  EXPECT_GT(test::farthest(bent(arm_, keyed("left_upper_arm")), bent(plain_, keyed("plain_upper_arm"))), 0.05f);
}

}  // namespace
}  // namespace pelt
