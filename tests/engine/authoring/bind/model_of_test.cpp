// SPDX-License-Identifier: MIT
// The model that a character keeps.
#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/linear_blend.h>
#include <pelt/model_of.h>

#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

constexpr float kStoredOffset = 1e-4f;  // of at most 0.05 of 8 m, in 16 bits

// A tube with everything that comes back.
Model full_tube() {
  Model model = test::make_tube({.around = 12, .along = 33, .joints = 3});
  model.skeleton.joints[2].parent = 0;
  test::add_morph_targets(model.meshes[0], 4);
  model.expressions = {{"happy", false, {{"tube", 0, 0.5f}, {"tube", 2, 1.0f}}}, {"blink", true, {{"tube", 2, 0.75f}}}};
  model.levels = {{0, 2, test::make_tube_mesh({.around = 6, .along = 12, .joints = 3})}};
  model.levels[0].mesh.name = "tube_LOD2";
  model.clips = {{.name = "turn", .duration = 1, .channels = {{.joint = 1, .times = {0}, .values = {0, 0, 0}}}}};
  return model;
}

void expect_same(const Mesh& is, const Mesh& was) {
  EXPECT_EQ(is.name, was.name);
  EXPECT_EQ(is.positions, was.positions);
  EXPECT_EQ(is.triangles, was.triangles);
  EXPECT_EQ(is.weights.row_count(), was.weights.row_count());
  EXPECT_LT(test::farthest(is.normals, was.normals), 1e-3f);
  ASSERT_EQ(is.morph_targets.size(), was.morph_targets.size());
  for (std::size_t t = 0; t < was.morph_targets.size(); ++t) {
    EXPECT_EQ(is.morph_targets[t].name, was.morph_targets[t].name);
    EXPECT_LT(test::farthest(is.morph_targets[t].offsets, was.morph_targets[t].offsets), kStoredOffset);
  }
}

// Bound again by linear blend, it moves as the model does.
TEST(ModelOf, ABoundCharacterIsTheModelAgain) {
  const Model model = full_tube();
  Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
  rig.helper_joints = {{.joint = "joint2", .source = "joint1", .twist = 0.25f}};
  const CharacterMesh wanted = test::bound(model, rig).character->meshes[0];
  for (const DeformerParameters& deformer :
       {DeformerParameters(LinearBlendParameters{}), DeformerParameters(DualQuaternionParameters{}),
        DeformerParameters(SurfaceFfdParameters{}), DeformerParameters(CurveSkeletonParameters{})}) {
    SCOPED_TRACE(std::string(deformer.name()));
    rig.layers[0].deformer = deformer;
    const Model again = test::must(model_of(test::bound(model, rig).character));
    EXPECT_EQ(again.name, model.name);
    EXPECT_EQ(again.clips.size(), 1u);
    EXPECT_EQ(again.bound_joints.size(), model.bound_joints.size());
    ASSERT_EQ(again.meshes.size(), 1u);
    expect_same(again.meshes[0], model.meshes[0]);
    ASSERT_EQ(again.levels.size(), 1u);
    EXPECT_EQ(again.levels[0].of, 0u);
    EXPECT_EQ(again.levels[0].level, 2u);
    expect_same(again.levels[0].mesh, model.levels[0].mesh);
    ASSERT_EQ(again.expressions.size(), 2u);
    for (std::size_t e = 0; e < 2; ++e) {
      EXPECT_EQ(again.expressions[e].name, model.expressions[e].name);
      EXPECT_EQ(again.expressions[e].binary, model.expressions[e].binary);
      ASSERT_EQ(again.expressions[e].targets.size(), model.expressions[e].targets.size());
      EXPECT_EQ(again.expressions[e].targets.back().target, 2u);
      EXPECT_EQ(again.expressions[e].targets.back().weight, model.expressions[e].targets.back().weight);
    }
    ASSERT_EQ(again.skeleton.helpers.size(), 1u);

    Rig linear = rig;
    linear.layers[0].deformer = LinearBlendParameters{};
    linear.helper_joints[0].twist = 0.5f;
    const Character baseline = test::bound(again, linear).character;
    EXPECT_EQ(baseline->meshes[0].source_vertex, wanted.source_vertex);
    EXPECT_EQ(baseline->meshes[0].binding.points, wanted.binding.points);
    EXPECT_EQ(baseline->meshes[0].binding.influences, wanted.binding.influences);
    ASSERT_EQ(baseline->skeleton.helpers.size(), 1u);
    EXPECT_EQ(baseline->skeleton.helpers[0].twist, 0.5f) << "those of the rig replace them";
  }
}

}  // namespace
}  // namespace pelt
