// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <pelt/linear_blend.h>
#include <pelt/mos.h>
#include <pelt/nearest_name.h>
#include <pelt/rig.h>
#include <pelt/surface_ffd.h>

namespace pelt {
namespace {

using testing::HasSubstr;

TEST(DeformerParameters, CopyCompareAndAreAskedForTheirStruct) {
  EXPECT_EQ(DeformerParameters().name(), "");
  EXPECT_EQ(DeformerParameters(), DeformerParameters());
  DeformerParameters mos = MosParameters{.power = 3};
  EXPECT_EQ(mos.name(), "mos");
  EXPECT_NE(mos, DeformerParameters());
  EXPECT_NE(mos, DeformerParameters(LinearBlendParameters{}));
  EXPECT_EQ(mos.get_if<SurfaceFfdParameters>(), nullptr);
  const DeformerParameters copy = mos;
  EXPECT_EQ(copy, mos);
  mos.get<MosParameters>().power = 4;
  EXPECT_EQ(copy.get<MosParameters>().power, 3);
  EXPECT_NE(copy, mos);
  const DeformerParameters taken = std::move(mos);
  EXPECT_EQ(taken.get<MosParameters>().power, 4);
}

TEST(Deformers, HaveOneNameEach) {
  const std::vector<std::string_view> names = deformer_names();
  EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), names.size());
  for (const std::string_view name : names) {
    EXPECT_EQ(rig_from_deformer_name(std::string(name))->layers[0].deformer.name(), name);
  }
}

TEST(RigFromDeformerName, TakesHyphensAndUnderscores) {
  for (const char* name : {"surface-ffd", "surface_ffd"}) {
    const Rig rig = rig_from_deformer_name(name).value();
    EXPECT_THAT(rig.layers, testing::ElementsAre(Layer{.deformer = SurfaceFfdParameters{}}));
    EXPECT_EQ(rig.name, "surface_ffd");
  }
}

TEST(RigFromDeformerName, UnknownNameIsAnErrorWithTheNearest) {
  const auto rig = rig_from_deformer_name("surface-fdd");
  ASSERT_FALSE(rig);
  EXPECT_EQ(rig.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(rig.error().message, HasSubstr("'surface-fdd'; did you mean 'surface-ffd'?"));
  EXPECT_THAT(rig.error().message, HasSubstr("linear-blend, dual-quaternion, surface-ffd, curve-skeleton, mos"));
  EXPECT_FALSE(rig_from_deformer_name(""));
  EXPECT_FALSE(rig_from_deformer_name(std::string(1 << 20, 'x')));
}

TEST(NearestName, CountsEdits) {
  const std::vector<std::string_view> known = {"local", "mode", "elements"};
  EXPECT_EQ(did_you_mean("locl", known), "; did you mean 'local'?");
  EXPECT_EQ(did_you_mean("Mode", known), "; did you mean 'mode'?");
  EXPECT_EQ(did_you_mean("element_count", known), "; did you mean 'elements'?");
  EXPECT_EQ(did_you_mean("elements", known), "; did you mean 'elements'?");
  EXPECT_EQ(did_you_mean("mole", known), "; did you mean 'mode'?");
  EXPECT_EQ(did_you_mean("more than half", known), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(UnknownName, ListsWhatThereIs) {
  const std::vector<std::string_view> known = {"walk", "flex"};
  EXPECT_EQ(unknown_name("clip", "clips", "wlak", known).message,
            "there is no clip 'wlak'; did you mean 'walk'? There are: walk, flex");
  EXPECT_EQ(unknown_name("clip", "clips", "jump high", known).message,
            "there is no clip 'jump high'. There are: walk, flex");
  EXPECT_EQ(unknown_name("clip", "clips", "walk", {}).message, "there is no clip 'walk', and there are no clips");
}

}  // namespace
}  // namespace pelt
