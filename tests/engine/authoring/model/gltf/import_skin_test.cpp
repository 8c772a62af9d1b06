// SPDX-License-Identifier: MIT
// Tests skins and clips.
#include <gmock/gmock.h>

#include "tests/engine/authoring/model/gltf/imported.h"

namespace pelt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

using nlohmann::json;
using test::attributes;
using test::expect_refused;
using test::GltfFile;
using test::imported;

// Most accessors are without data, in a file of 2 KB: 96 bytes per vertex, 8 of them for triangles.
TEST(ImportGltf, TakesOfItsBoundWhatWeightsAndTrianglesNeed) {
  constexpr std::uint32_t kVertices = 2'600'000;
  GltfFile file = GltfFile::skinned_triangle();
  for (json& accessor : file.json["accessors"]) {
    if (accessor["count"] != 3) continue;
    accessor["count"] = kVertices;
    accessor.erase("bufferView");
  }
  attributes(file)["POSITION"] = file.add_sparse(kVertices, {1}, {{7, 8, 9}});
  EXPECT_EQ(imported(file).meshes[0].weights.row_count(), kVertices);
  for (json& accessor : file.json["accessors"]) {
    if (accessor["count"] == kVertices) accessor["count"] = 3'200'000;
  }
  EXPECT_EQ(file.import().error().code, ErrorCode::kUnsupported);
}

TEST(ImportGltf, RefusesJointsThatAreNotThereUnlessTheirWeightIs0) {
  GltfFile file = GltfFile::skinned_triangle();
  attributes(file)["JOINTS_0"] = file.add("VEC4", std::vector<std::uint8_t>{1, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(imported(file).meshes[0].weights.row(0).size(), 1u);
  attributes(file)["JOINTS_0"] = file.add("VEC4", std::vector<std::uint8_t>{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  expect_refused(file, "vertex 0 names joint 2, but there are only 2");
}

TEST(ImportGltf, NormalisesWeightsAndCounts) {
  GltfFile file = GltfFile::skinned_triangle();
  attributes(file)["WEIGHTS_0"] = file.add("VEC4", std::vector<float>{0.25f, 0, 0, 0, 2, -1, 0, 0, 1, 0, 0, 0});
  const Model model = imported(file);
  EXPECT_EQ(model.report.renormalised_vertices, 2u);
  for (std::size_t v = 0; v < 3; ++v)
    EXPECT_THAT(model.meshes[0].weights.row(v), ElementsAre(testing::Field(&Influence::weight, 1.0f)));
  EXPECT_THAT(model.report.notes, Contains(HasSubstr("1 weights below 0")));
}

TEST(ImportGltf, LetsUnweightedVerticesFollowTheNearestJoint) {
  GltfFile file = GltfFile::skinned_triangle();
  attributes(file)["WEIGHTS_0"] = file.add("VEC4", std::vector<float>(12, 0.0f));
  const auto followed = [](const Model& model, std::size_t v) {
    return model.skeleton.joints[model.bound_joints[model.meshes[0].weights.row(v)[0].index].joint].name;
  };
  for (const bool has_attributes : {true, false}) {
    if (!has_attributes) attributes(file) = {{"POSITION", 0}};
    const Model model = imported(file);
    EXPECT_EQ(model.report.unweighted_vertices, 3u);
    EXPECT_EQ(followed(model, 0), "root");
    EXPECT_EQ(followed(model, 1), "root");
    EXPECT_EQ(followed(model, 2), "tip");
  }
}

TEST(ImportGltf, LetsUnweightedVerticesFollowTheSkinAroundThem) {
  GltfFile file = GltfFile::skinned_triangle();
  attributes(file)["WEIGHTS_0"] = file.add("VEC4", std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
  const Model model = imported(file);
  EXPECT_EQ(model.report.unweighted_vertices, 1u);
  EXPECT_THAT(model.report.notes, Contains(HasSubstr("1 vertices have no weights and take those of the skin around")));
  const auto row = model.meshes[0].weights.row(2);
  ASSERT_EQ(row.size(), 1u);  // the nearest joint is another
  EXPECT_EQ(model.skeleton.joints[model.bound_joints[row[0].index].joint].name, "root");
  EXPECT_FLOAT_EQ(row[0].weight, 1);
}

TEST(ImportGltf, SharesBoundJoints) {
  GltfFile file = GltfFile::skinned_triangle();
  file.push("skins", file.json["skins"][0]);
  file.push("nodes", {{"mesh", 0}, {"skin", 1}});
  const Model model = imported(file);
  EXPECT_EQ(model.meshes.size(), 2u);
  EXPECT_EQ(model.bound_joints.size(), 2u);
}

template <class T = float>
GltfFile animated(const std::string& path, const std::string& interpolation, const std::vector<float>& times,
                  const std::string& type, const std::vector<T>& values, bool normalized = false) {
  GltfFile file = GltfFile::triangle();
  file.add_channel(test::node_target(0, path), times, type, values, interpolation, normalized);
  return file;
}

TEST(ImportGltf, ReadsRotationsOfEveryType) {
  const auto check = [](const auto& values) {
    const Model model = imported(animated("rotation", "LINEAR", {0}, "VEC4", values, true));
    const std::vector<float>& q = model.clips[0].channels[0].values;
    EXPECT_NEAR(q[0], 0.6f, 0.01f);
    EXPECT_NEAR(q[3], 0.8f, 0.01f);
  };
  check(std::vector<std::int8_t>{76, 0, 0, 102});
  check(std::vector<std::uint8_t>{153, 0, 0, 204});
  check(std::vector<std::int16_t>{19660, 0, 0, 26214});
  check(std::vector<std::uint16_t>{39321, 0, 0, 52428});
}

TEST(ImportGltf, NamesClips) {
  GltfFile file = animated("scale", "LINEAR", {0}, "VEC3", {1, 1, 1});
  json clip = file.json["animations"][0];
  clip["name"] = "walk";
  file.json["animations"] = {clip, clip};
  clip["channels"][0]["target"].erase("node");
  clip["name"] = "nothing";
  file.push("animations", clip);
  const Model model = imported(file);
  ASSERT_EQ(model.clips.size(), 2u);
  EXPECT_EQ(model.clips[0].name, "walk");
  EXPECT_EQ(model.clips[1].name, "walk#2");
  EXPECT_THAT(model.report.notes, Contains(HasSubstr("clip 'nothing': left out, since it moves nothing")));
}

TEST(ImportGltf, ChecksClips) {
  expect_refused(animated("scale", "LINEAR", {0, 1}, "VEC3", {1, 1, 1}), "2 keys need 2 values, not 1");
  expect_refused(animated("scale", "CUBICSPLINE", {0}, "VEC3", {1, 1, 1}), "1 keys need 3 values, not 1");
  expect_refused(animated("scale", "LINEAR", {1, 1}, "VEC3", {1, 1, 1, 1, 1, 1}), "key 1 at 1 s does not follow");
  expect_refused(animated("scale", "LINEAR", {-1}, "VEC3", {1, 1, 1}), "before 0");
  expect_refused(animated("scale", "LINEAR", {kNan}, "VEC3", {1, 1, 1}), "not finite");
  expect_refused(animated("scale", "LINEAR", {0}, "VEC4", {1, 1, 1, 1}), "scale cannot be VEC4 of FLOAT");
  expect_refused(animated("rotation", "LINEAR", {0}, "VEC4", {0, 0, 0, 0}), "rotation of length 0");
  expect_refused(animated("colour", "LINEAR", {0}, "VEC3", {1, 1, 1}), "cannot animate 'colour'");
  expect_refused(animated("scale", "QUINTIC", {0}, "VEC3", {1, 1, 1}), "'QUINTIC' is not one of LINEAR");
}

}  // namespace
}  // namespace pelt
