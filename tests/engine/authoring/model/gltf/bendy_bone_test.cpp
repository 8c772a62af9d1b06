// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::GltfFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Returns the skinned triangle with these extras at its root.
Model with_extras(const json& extras) {
  GltfFile file = GltfFile::skinned_triangle();
  file.json["nodes"][1]["extras"] = extras;
  Result<Model> model = file.import();
  EXPECT_TRUE(model) << extras << ": " << model.error().message;
  return model ? std::move(*model) : Model();
}

TEST(GltfBendyBone, IsReadUnderBlendersNamesInItsUnits) {
  const Model model = with_extras({{"bbone_segments", 8},
                                   {"bbone_easein", 0.5},
                                   {"bbone_easeout", 2},
                                   {"bbone_rollin", 0.0},
                                   {"bbone_rollout", 1.5707963705062866},
                                   {"bbone_curveinx", 0.1},
                                   {"bbone_curveinz", -0.2},
                                   {"bbone_curveoutx", 0.3},
                                   {"bbone_curveoutz", 0.4},
                                   {"bbone_scalein", {1, 2, 3}},
                                   {"bbone_scaleout", {0.5, 1.0, 0.25}}});
  ASSERT_THAT(model.bendy_bones, SizeIs(1));
  EXPECT_EQ(model.skeleton.joints[model.bendy_bones[0].joint].name, "root");
  const BendyBone& bone = model.bendy_bones[0].values;
  EXPECT_EQ(bone.segments, 8u);
  EXPECT_EQ(bone.ease_in, 0.5f);
  EXPECT_EQ(bone.ease_out, 2.0f);
  EXPECT_EQ(bone.roll_in, 0.0f);
  EXPECT_FLOAT_EQ(bone.roll_out, 90.0f);
  EXPECT_EQ(bone.curve_in, glm::vec2(0.1f, -0.2f));
  EXPECT_EQ(bone.curve_out, glm::vec2(0.3f, 0.4f));
  EXPECT_EQ(bone.scale_in, glm::vec3(1, 2, 3));
  EXPECT_EQ(bone.scale_out, glm::vec3(0.5f, 1, 0.25f));
  EXPECT_THAT(model.report.notes, ElementsAre(HasSubstr("without normals")));
}

TEST(GltfBendyBone, LeavesWhatIsNotSaidAtItsDefault) {
  const Model model = with_extras({{"bbone_rollin", 0.5}});
  ASSERT_THAT(model.bendy_bones, SizeIs(1));
  BendyBone expected;
  expected.roll_in = glm::degrees(0.5f);
  EXPECT_EQ(model.bendy_bones[0].values, expected);
}

TEST(GltfBendyBone, IgnoresOtherExtras) {
  for (const json& extras :
       {json::object(), json{{"bbone_x", 3}, {"author", {1, {{"deep", nullptr}}}}}, json(3), json("bbone_easein"),
        json::array({1, 2}), json(nullptr), json{{"bbone_easein", nullptr}}}) {
    const Model model = with_extras(extras);
    EXPECT_THAT(model.bendy_bones, IsEmpty()) << extras;
  }
}

TEST(GltfAnchor, IsReadFromItsMark) {
  for (const auto& [mark, name] :
       {std::pair(json("hilt"), "hilt"), {json(true), "root"}, {json(1), "root"}, {json(""), "root"}}) {
    const Model model = with_extras({{"pelt_anchor", mark}});
    ASSERT_THAT(model.anchors, SizeIs(1)) << mark;
    EXPECT_EQ(model.anchors[0].name, name);
    EXPECT_EQ(model.skeleton.joints[model.anchors[0].joint].name, "root");
    EXPECT_THAT(model.report.notes, ElementsAre(HasSubstr("without normals")));
  }
  for (const json& extras : {json{{"pelt_anchor", 0}}, json{{"pelt_anchor", false}}, json("pelt_anchor")})
    EXPECT_THAT(with_extras(extras).anchors, IsEmpty()) << extras;
}

TEST(GltfBendyBone, LeavesOutABoneOfWrongValuesAndSaysSo) {
  const json wrong = json::parse(R"({
    "bbone_segments": [0, -3, 2.5, 1e30, "8"], "bbone_easein": [true, [1], -0.1], "bbone_easeout": [11],
    "bbone_rollin": [1e300], "bbone_rollout": [100], "bbone_curveinx": [1e6], "bbone_curveoutz": [-1e38],
    "bbone_curveinz": [{"x": 1}], "bbone_scalein": [2, [1, 1]], "bbone_scaleout": [[1, 1, "1"], [1, 0, 1], [1, 1, -1]]
  })");
  for (const auto& [key, values] : wrong.items()) {
    // For a curve the message may name both coordinates.
    const std::string why = key.starts_with("bbone_curve") ? key.substr(0, key.size() - 1) : key;
    for (const json& value : values) {
      const Model model = with_extras({{key, value}});
      EXPECT_THAT(model.bendy_bones, IsEmpty()) << key << value;
      EXPECT_THAT(model.report.notes, testing::Contains(testing::AllOf(HasSubstr("of 1 nodes are left out"),
                                                                       HasSubstr(why), HasSubstr("'root'"))))
          << key << value;
    }
  }
}

}  // namespace
}  // namespace pelt
