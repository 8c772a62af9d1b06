// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/deformers.h>
#include <pelt/rig.h>

namespace pelt {
namespace {

using testing::HasSubstr;

TEST(Deformers, EveryAlternativeHasOneName) {
  ASSERT_EQ(deformers().size(), std::variant_size_v<DeformerParameters>);
  for (std::size_t i = 0; i < deformers().size(); ++i) {
    EXPECT_EQ(deformers()[i].defaults.index(), i);
    EXPECT_EQ(deformer_name(deformers()[i].defaults), deformers()[i].name);
  }
}

TEST(RigFromDeformerName, TakesHyphensAndUnderscores) {
  for (const char* name : {"surface-ffd", "surface_ffd"}) {
    const auto rig = rig_from_deformer_name(name);
    ASSERT_TRUE(rig) << rig.error().message;
    ASSERT_EQ(rig->layers.size(), 1u);
    EXPECT_EQ(rig->layers[0], (Layer{.deformer = SurfaceFfdParameters{}}));
    EXPECT_EQ(rig->name, "surface_ffd");
  }
  EXPECT_EQ(rig_from_deformer_name("mos")->layers[0].deformer, DeformerParameters(MosParameters{}));
  EXPECT_EQ(rig_from_deformer_name("linear-blend")->layers[0].deformer, DeformerParameters(LinearBlendParameters{}));
  EXPECT_EQ(rig_from_deformer_name("dual-quaternion")->layers[0].deformer,
            DeformerParameters(DualQuaternionParameters{}));
}

TEST(RigFromDeformerName, UnknownNameIsAnErrorWithTheNearest) {
  const auto rig = rig_from_deformer_name("surface-fdd");
  ASSERT_FALSE(rig);
  EXPECT_EQ(rig.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(rig.error().message, HasSubstr("'surface-fdd'; did you mean 'surface_ffd'?"));
  EXPECT_THAT(rig.error().message, HasSubstr("linear_blend, dual_quaternion, surface_ffd, curve_skeleton, mos"));
  EXPECT_FALSE(rig_from_deformer_name(""));
  EXPECT_FALSE(rig_from_deformer_name(std::string(1 << 20, 'x')));
}

TEST(NearestName, CountsEdits) {
  const std::vector<std::string_view> known = {"local", "mode", "elements"};
  EXPECT_EQ(nearest_name("locl", known), "local");
  EXPECT_EQ(nearest_name("Mode", known), "mode");
  EXPECT_EQ(nearest_name("element_count", known), "elements");
  EXPECT_EQ(nearest_name("elements", known), "elements");
  EXPECT_EQ(nearest_name("x", {}), "");
}

}  // namespace
}  // namespace pelt
