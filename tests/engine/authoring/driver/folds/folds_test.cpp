// SPDX-License-Identifier: MIT
// Tests folds at an elbow (folds::find_folds) on a tube whose names make it an arm, which bends towards +z.
#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/pose.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

constexpr float kRadius = 0.4f;

Model arm_of(const std::vector<std::string>& names) {
  Model model = test::make_tube({.around = 24,
                                 .along = 80,
                                 .radius = kRadius,
                                 .joints = static_cast<std::uint32_t>(names.size()),
                                 .blend_length = 0.4f});
  for (std::size_t j = 0; j < names.size(); ++j) model.skeleton.joints[j].name = names[j];
  return model;
}

class FoldOfAnElbow : public testing::Test {
 protected:
  Character bound(Folds folds, float gap = DriverParameters().fold_gap,
                  float volume = DriverParameters().fold_volume) const {
    SurfaceFfdParameters parameters;
    parameters.driver.folds = folds;
    parameters.driver.fold_gap = gap;
    parameters.driver.fold_volume = volume;
    return test::bound(model_, test::rig_of(parameters)).character;
  }

  std::vector<glm::vec3> bent(const Character& character, float degrees) const {
    std::vector<Transform> local(model_.skeleton.joints.size());
    std::vector<glm::mat4> joints(local.size());
    rest_pose(model_.skeleton, local);
    local[2].rotation = glm::angleAxis(glm::radians(-degrees), glm::vec3(0, 1, 0)) * local[2].rotation;
    model_matrices(model_.skeleton, local, joints);
    return test::posed(character, joints, "tube");
  }

  // Returns how far the skin of the upper arm is beyond the plane halfway to the forearm, on the inner side, in radii.
  float overlap(Folds folds, float degrees) const { return overlap(bound(folds), degrees); }
  float overlap(const Character& character, float degrees) const {
    const std::vector<glm::vec3> posed = bent(character, degrees);
    const glm::vec3 elbow(test::bind_matrices(model_)[2][3]), upper(-1, 0, 0);
    const glm::vec3 lower(std::cos(glm::radians(degrees)), 0, std::sin(glm::radians(degrees)));
    float most = 0;
    for (std::size_t v = 0; v < posed.size(); ++v) {
      const glm::vec3 way = posed[v] - elbow;
      if (model_.meshes[0].positions[v].x >= elbow.x || glm::dot(way, upper + lower) < 0) continue;
      most = std::max(most, -glm::dot(way, glm::normalize(upper - lower)));
    }
    return most / kRadius;
  }

  Model model_ = arm_of({"chest", "left_upper_arm", "left_forearm", "left_hand"});
};

TEST_F(FoldOfAnElbow, KeepsBothSidesApart) {
  for (const float degrees : {110.0f, 125.0f, 140.0f}) {
    const float plain = overlap(Folds::kNone, degrees);
    EXPECT_GT(plain, 0.2f) << degrees << ": the test needs a fold";
    EXPECT_LT(overlap(Folds::kAuto, degrees), 0.3f * plain) << degrees;
  }
}

TEST_F(FoldOfAnElbow, KeepsItsGapAndBringsVolumeBack) {
  EXPECT_GT(overlap(bound(Folds::kAuto, -0.3f), 125), overlap(Folds::kAuto, 125) + 0.1f);
  const auto volume = [&](float part) {
    return test::volume(bent(bound(Folds::kAuto, -0.05f, part), 125), model_.meshes[0].triangles);
  };
  EXPECT_GT(volume(1), volume(0) + 0.01f * volume(0));
}

// Skin that is pushed straight out of a fold turns the faces at its rim into a dark groove. No volume returns, since
// that widens the rim, too.
TEST_F(FoldOfAnElbow, SlidesHiddenSkinTowardsTheRim) {
  const std::vector<glm::vec3> plain = bent(bound(Folds::kNone), 105);
  const std::vector<glm::vec3> folded = bent(bound(Folds::kAuto, DriverParameters().fold_gap, 0), 105);
  float slid = 0, moved = 0;
  for (std::size_t v = 0; v < plain.size(); ++v) {
    const float aside = std::abs(plain[v].y) / kRadius;
    if (aside < 0.4f || aside > 0.8f) continue;
    slid += std::abs(folded[v].y) - std::abs(plain[v].y);
    moved += glm::distance(folded[v], plain[v]);
  }
  EXPECT_GT(slid, 0.37f * moved);
}

TEST_F(FoldOfAnElbow, GrowsSteadilyFromRest) {
  const Character folded = bound(Folds::kAuto);
  EXPECT_LT(test::farthest(bent(folded, 0), model_.meshes[0].positions), test::kTubeTolerance);
  EXPECT_LT(test::farthest(bent(folded, -40), bent(bound(Folds::kNone), -40)), 0.02f * kRadius);
  for (float degrees = 0; degrees < 150; degrees += 2) {
    EXPECT_LT(test::farthest(bent(folded, degrees), bent(folded, degrees + 2)), 0.2f) << degrees;
  }
}

TEST_F(FoldOfAnElbow, GivesEntriesToTheElbowAlone) {
  const Character character = bound(Folds::kAuto);
  const auto pass = std::ranges::find(character->passes, PoseKernel::kKeyPose, &PalettePass::kernel);
  ASSERT_NE(pass, character->passes.end());
  EXPECT_LT(pass->record_count, test::mesh_of(character, "driver of tube").vertex_count() / 2);
}

TEST_F(FoldOfAnElbow, NeedsItsNameAndNoKeyPoses) {
  EXPECT_NE(test::bytes_without_rig(bound(Folds::kAuto)), test::bytes_without_rig(bound(Folds::kNone)));
  SurfaceFfdParameters keyed;
  keyed.driver.key_poses = {
      {.angles = {{.joint = "left_hand"}}, .poses = {{.degrees = {30}, .offsets = {{0, {0, 0.01f, 0}}}}}}};
  SurfaceFfdParameters plain = keyed;
  plain.driver.folds = Folds::kNone;
  const auto bytes = [&](const SurfaceFfdParameters& parameters) {
    return test::bytes_without_rig(test::bound(model_, test::rig_of(parameters)).character);
  };
  EXPECT_EQ(bytes(keyed), bytes(plain));
  model_ = arm_of({"a", "b", "c", "d"});
  EXPECT_EQ(test::bytes_without_rig(bound(Folds::kAuto)), test::bytes_without_rig(bound(Folds::kNone)));
}

}  // namespace
}  // namespace pelt
