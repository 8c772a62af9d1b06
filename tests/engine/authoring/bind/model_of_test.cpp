// SPDX-License-Identifier: MIT
#include <pelt/bind.h>
#include <pelt/import.h>
#include <pelt/model_of.h>
#include <pelt/try.h>

#include "tests/support/must.h"

namespace pelt {
namespace {

Result<Bound> bind_as(const Model& model, const std::string& deformer) {
  PELT_ASSIGN(const auto rig, rig_from_deformer_name(deformer));
  return bind(model, rig);
}

class ModelOf : public testing::TestWithParam<const char*> {};

TEST_P(ModelOf, ABoundCharacterIsTheModelAgain) {
  const Model model = test::must(import_model("builtin:tail"));
  const Bound bound = test::must(bind_as(model, GetParam()));
  const Model again = model_of(bound.character).value();
  EXPECT_EQ(again.name, model.name);
  EXPECT_EQ(again.clips.size(), model.clips.size());
  EXPECT_EQ(again.bound_joints.size(), model.bound_joints.size());
  ASSERT_EQ(again.meshes.size(), model.meshes.size());
  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    const Mesh& a = model.meshes[m];
    const Mesh& b = again.meshes[m];
    EXPECT_EQ(b.name, a.name);
    EXPECT_EQ(b.positions, a.positions);
    EXPECT_EQ(b.triangles, a.triangles);
    EXPECT_EQ(b.weights.row_count(), a.weights.row_count());
    ASSERT_EQ(b.normals.size(), a.normals.size());
    for (std::size_t i = 0; i < a.normals.size(); ++i) EXPECT_GT(glm::dot(a.normals[i], b.normals[i]), 0.999999f);
  }
}

TEST_P(ModelOf, LinearBlendOfItIsLinearBlendOfTheModel) {
  const Model model = test::must(import_model("builtin:limb"));
  const Result<Bound> wanted = bind_as(model, "linear-blend");
  const Result<Bound> bound = bind_as(model, GetParam());
  ASSERT_TRUE(wanted && bound);
  const Bound baseline = test::must(bind_as(model_of(bound->character).value(), "linear-blend"));
  ASSERT_EQ(baseline.character->meshes.size(), 1u);
  EXPECT_EQ(baseline.character->meshes[0].source_vertex, wanted->character->meshes[0].source_vertex);
  EXPECT_EQ(baseline.character->meshes[0].binding.points, wanted->character->meshes[0].binding.points);
  EXPECT_EQ(baseline.character->meshes[0].binding.influences, wanted->character->meshes[0].binding.influences);
}

INSTANTIATE_TEST_SUITE_P(Deformers, ModelOf, testing::Values("linear-blend", "dual-quaternion", "surface-ffd"));

}  // namespace
}  // namespace pelt
