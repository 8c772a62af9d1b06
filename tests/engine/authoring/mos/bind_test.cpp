// SPDX-License-Identifier: MIT
// Tests how skin is bound to control points, and errors.
#include "engine/authoring/mos/bind.h"

#include <limits>

#include <pelt/builtin.h>
#include <pelt/import.h>
#include <pelt/linear_blend.h>

#include "tests/engine/authoring/mos/bound_skin.h"
#include "tests/support/must.h"
#include "tests/support/shared_files.h"

namespace pelt::mos {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

TEST(MosBind, ReturnsTheSkinAtBind) {
  for (const Model& model : {make_limb(), make_tail(), make_biped()}) expect_identity(model, by_mos());
  for (const MosKernel kernel : {MosKernel::kGaussian, MosKernel::kBiharmonic}) {
    expect_identity(test::make_tube({.joints = 4}), by_mos([&](MosParameters& p) {
                      p.strategy = MosStrategy::kRadialBasis;
                      p.kernel = kernel;
                    }));
  }
}

TEST(MosBind, ReturnsTheSkinOfEveryCharacterAtBind) {
  PELT_REQUIRE_SHARED();
  for (const auto& file : test::character_files()) expect_identity(test::must(import_gltf(file)), by_mos());
}

TEST(MosBind, TakesTheCageForADriver) {
  const Change by_cage = [](MosParameters& p) {
    p.strategy = MosStrategy::kCatmullClark;
    p.cage = "cage";
  };
  const Model model = test::make_tube_in_cage();
  const Bound bound = test::bound(model, by_mos(by_cage));
  ASSERT_EQ(bound.report.meshes.size(), 1u);
  EXPECT_EQ(bound.report.meshes[0].mesh, "tube");
  EXPECT_EQ(bound.character->meshes.size(), 1u);
  EXPECT_THAT(bound.report.notes, Contains(HasSubstr("104 control points")));
  // The weights of the cage move the skin, whatever weights the skin has.
  Model other = model;
  Mesh& cage = other.meshes[1];
  cage.weights = test::rows_on(0, cage.positions.size());
  const std::vector<glm::mat4> joints = bent(model, 60);
  EXPECT_GT(test::farthest(posed(model, bound.character, joints), model.meshes[0].positions), 1);
  EXPECT_LT(
      test::farthest(posed(other, test::bound(other, by_mos(by_cage)).character, joints), model.meshes[0].positions),
      1e-4);
}

Change with_points(const std::vector<MosPoint>& points, MosStrategy strategy) {
  return [points, strategy](MosParameters& p) {
    p.strategy = strategy;
    p.automatic = false;
    p.chains = {{"own", points, {}}};
  };
}

TEST(MosBind, NeedsJoints) {
  Model model = test::make_tube();
  model.skeleton = {};
  model.bound_joints = {};
  model.meshes[0].weights = {};
  for (const MosStrategy strategy : kWithoutCage) {
    EXPECT_THAT(test::bind_error(model, by_mos([&](auto& p) { p.strategy = strategy; })),
                HasSubstr("layer 0 (mos): the model has no joints"));
  }
}

TEST(MosBind, NeedsChainsThatCanBePosed) {
  const Model model = test::make_tube({.joints = 1100});
  for (const MosParameters& parameters : {MosParameters{}, MosParameters{.strategy = MosStrategy::kInverseDistance}}) {
    EXPECT_THAT(test::bind_error(model, test::rig_of(parameters)),
                HasSubstr("the curve 'joint0..joint1099' has 1101 joints, more than 1024; split it"));
  }
}

// Ranges and conditions are those of the schema.
TEST(MosBind, NeedsParametersInRange) {
  const Model model = test::make_tube();
  EXPECT_THAT(test::bind_error(model, by_mos([](auto& p) { p.points_per_bone = 17; })),
              HasSubstr("layer 0 (mos): /points_per_bone: must be an integer from 1 to 16, is 17"));
  EXPECT_THAT(test::bind_error(model, by_mos([](auto& p) { p.automatic = false; })),
              HasSubstr("layer 0 (mos): there are no control points"));
}

TEST(MosBind, NeedsPointsApartForRadialBasis) {
  const Model model = test::make_tube();
  const std::vector<MosPoint> points{{"p", "joint0", {}}, {"q", "joint0", {}}, {"r", "joint1", {}}};
  EXPECT_THAT(test::bind_error(model, by_mos(with_points(points, MosStrategy::kRadialBasis))),
              AllOf(HasSubstr("layer 0 (mos): "), HasSubstr("coincide")));
  EXPECT_EQ(test::bind_error(model, by_mos(with_points(points, MosStrategy::kInverseDistance))), "bound");
  EXPECT_EQ(test::bind_error(model, by_mos(with_points(points, MosStrategy::kBSpline))), "bound");
}

// The mean of two frames that are turned by 180 degrees against each other is flat.
TEST(MosBind, NeedsFramesThatDoNotCancelOut) {
  Model model = test::make_tube();
  model.bound_joints[1].inverse_bind =
      glm::rotate(glm::mat4(1), glm::radians(180.0f), glm::vec3(1, 0, 0)) * model.bound_joints[1].inverse_bind;
  const auto error = [&](const std::vector<MosPoint>& points, MosStrategy strategy, MosFrames frames) {
    return test::bind_error(model, by_mos([&](MosParameters& p) {
                              with_points(points, strategy)(p);
                              p.frames = frames;
                              p.twist = false;
                              p.clamp_ends = false;
                              p.table_error = 1e-9f;
                            }));
  };
  const std::vector<MosPoint> two{{"one", "joint0", {}}, {"", "joint1", {}}};
  EXPECT_THAT(
      error(two, MosStrategy::kInverseDistance, MosFrames::kJoint),
      AllOf(HasSubstr("layer 0 (mos): vertex 48 of mesh 'tube'"), HasSubstr("the points 'one', 'joint1' cancel")));
  EXPECT_EQ(error(two, MosStrategy::kInverseDistance, MosFrames::kRelative), "bound");
  const std::vector<MosPoint> four{
      {"p", "joint0", {1, 0, 0}}, {"q", "joint1", {-1, 0, 0}}, {"r", "joint0", {5, 0, 0}}, {"s", "joint1", {3, 0, 0}}};
  EXPECT_THAT(error(four, MosStrategy::kBSpline, MosFrames::kJoint),
              AllOf(HasSubstr("layer 0 (mos): vertex 96 of mesh 'tube'"), HasSubstr("'p', 'q', 'r', 's'")));
  EXPECT_EQ(error(four, MosStrategy::kBSpline, MosFrames::kRelative), "bound");
}

TEST(MosBind, IsNotCombinedAsInWiresWithLocalPoints) {
  Rig rig = test::rig_of(LinearBlendParameters{});
  rig.layers.push_back({"*", MosParameters{.strategy = MosStrategy::kInverseDistance}, {0.5f, {}}, 1.0f});
  EXPECT_THAT(test::bind_error(test::make_tube(), rig),
              AllOf(HasSubstr("layer 1 (mos): mesh 'tube' cannot be combined as in Wires"),
                    HasSubstr("mos with linear_blend")));
  rig.layers[1].deformer = MosParameters{};
  EXPECT_EQ(test::bind_error(test::make_tube(), rig), "bound");
}

}  // namespace
}  // namespace pelt::mos
