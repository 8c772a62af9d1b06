// SPDX-License-Identifier: MIT
// Tests nodes, and how meshes come to model space at bind.
#include <gmock/gmock.h>

#include <glm/gtc/matrix_transform.hpp>

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

TEST(ImportGltf, MakesNamesUnique) {
  GltfFile file = GltfFile::triangle();
  file.json["meshes"][0]["name"] = "body";
  file.json["nodes"] = {{{"name", "a"}, {"mesh", 0}}, {{"name", "a"}, {"mesh", 0}}, {{"mesh", 0}}, {{"name", "a#2"}}};
  const Model model = imported(file);
  EXPECT_THAT(joint_names(model), ElementsAre("a", "a#2", "node_2", "a#2#2"));
  ASSERT_EQ(model.meshes.size(), 3u);
  EXPECT_EQ(model.meshes[1].name, "a#2");
  EXPECT_EQ(model.meshes[2].name, "body");
  EXPECT_NE(model.find_mesh("a#2"), nullptr);
  EXPECT_EQ(model.find_mesh("b"), nullptr);
}

json columns(const glm::mat4& m) {
  json values = json::array();
  for (int c = 0; c < 16; ++c) values.push_back(m[c / 4][c % 4]);
  return values;
}

TEST(ImportGltf, KeepsMatricesThatHaveAShear) {
  glm::mat4 shear(1.0f);
  shear[1][0] = 0.5f;
  GltfFile file = GltfFile::triangle();
  file.json["nodes"][0]["matrix"] = columns(shear);
  file.add_channel(test::node_target(0, "scale"), {0}, "VEC3", std::vector<float>{1, 2, 3});
  const Model model = imported(file);
  ASSERT_TRUE(model.skeleton.joints[0].matrix);
  EXPECT_EQ(*model.skeleton.joints[0].matrix, shear);
  expect_near(model.meshes[0].positions[2], {0.5f, 1, 0});
  EXPECT_TRUE(model.clips.empty());
  EXPECT_THAT(model.report.notes, Contains(HasSubstr("1 channels ignored")));
  file.json["nodes"][0]["matrix"] = columns(glm::rotate(glm::mat4(1.0f), 2.0f, {0.6f, 0.8f, 0}));
  EXPECT_FALSE(imported(file).skeleton.joints[0].matrix);

  shear[0][3] = 0.5f;
  file.json["nodes"][0]["matrix"] = columns(shear);
  expect_refused(file, "/nodes/0/matrix: its last row is not 0 0 0 1");
}

TEST(ImportGltf, KeepsTheOutsideOfMirroredMeshesOutside) {
  GltfFile file = GltfFile::triangle();
  attributes(file)["NORMAL"] = file.add(std::vector<glm::vec3>{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}});
  attributes(file)["TANGENT"] = file.add("VEC4", std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1});
  // The bitangent is (0, 1, 0): it points to vertex 2.
  for (const glm::vec3& scale :
       {glm::vec3(-1, 1, 1), glm::vec3(1, -2, 1), glm::vec3(1, 1, -1), glm::vec3(-1, -1, -3)}) {
    file.json["nodes"][0]["scale"] = {scale.x, scale.y, scale.z};
    const Mesh mesh = imported(file).meshes[0];
    expect_near(mesh.positions[1], scale * glm::vec3(1, 0, 0));
    EXPECT_EQ(mesh.normals[0], glm::vec3(0, 0, glm::sign(scale.z)));
    const glm::uvec3 t = mesh.triangles[0];
    const glm::vec3 faces =
        glm::cross(mesh.positions[t.y] - mesh.positions[t.x], mesh.positions[t.z] - mesh.positions[t.x]);
    EXPECT_GT(glm::dot(faces, mesh.normals[0]), 0);
    const glm::vec3 bitangent = glm::cross(mesh.normals[0], glm::vec3(mesh.tangents[0])) * mesh.tangents[0].w;
    EXPECT_GT(glm::dot(bitangent, mesh.positions[2] - mesh.positions[0]), 0);
  }
}

TEST(ImportGltf, PutsSkinsOfOneSkeletonIntoOnePose) {
  // Both skins were bound with the tip at (0, 1, 0), in spaces of their own; it rests at (0, 3, 0).
  GltfFile file = GltfFile::skinned_triangle();
  const glm::mat4 shift = glm::translate(glm::mat4(1.0f), {10, 0, 0});
  file.push("skins",
            {{"joints", {2}},
             {"inverseBindMatrices",
              file.add(std::vector<glm::mat4>{glm::translate(glm::mat4(1.0f), {0, -1, 0}) * glm::inverse(shift)})}});
  file.push("nodes", {{"name", "other"}, {"mesh", 1}, {"skin", 1}});
  file.push("nodes", {{"name", "hat"}, {"mesh", 2}, {"translation", {0, 0.5, 0}}});
  file.add_mesh({{"POSITION", file.add(std::vector<glm::vec3>{{10, 0, 0}, {11, 0, 0}, {10, 1, 0}})},
                 {"JOINTS_0", file.add("VEC4", std::vector<std::uint8_t>(12, 0))},
                 {"WEIGHTS_0", 2}});
  file.add_mesh({{"POSITION", 0}});
  file.json["nodes"][2]["translation"] = {0, 3, 0};
  file.json["nodes"][2]["children"] = {4};
  const Model model = imported(file);
  ASSERT_EQ(model.meshes.size(), 3u);
  const Mesh& body = *model.find_mesh("mesh_0");
  const Mesh& other = *model.find_mesh("other");
  for (std::size_t v = 0; v < 3; ++v) expect_near(body.positions[v], other.positions[v]);
  expect_near(model.find_mesh("hat")->positions[0], {0, 1.5f, 0});  // not the tip's position at bind
  expect_near(at_rest(model, body, 2), {0, 3, 0});
  expect_near(at_rest(model, other, 2), {0, 3, 0});
  expect_near(at_rest(model, *model.find_mesh("hat"), 0), {0, 3.5f, 0});
}

TEST(ImportGltf, RefusesWhatOverflows) {
  GltfFile file = GltfFile::triangle();
  file.json["nodes"] = {{{"scale", {1e30, 1, 1}}, {"children", {1}}}, {{"scale", {1e30, 1, 1}}, {"mesh", 0}}};
  expect_refused(file, "does not fit single precision");
  GltfFile far = GltfFile::triangle();
  far.json["nodes"][0]["scale"] = {1e13, 1, 1};
  expect_refused(far, "mesh 'mesh_0': vertex 1 is farther than");
  GltfFile skeleton = GltfFile::skinned_triangle();
  skeleton.json["nodes"].push_back({{"name", "prop"}, {"translation", {0, 1e30, 0}}});
  skeleton.json["scenes"] = {{{"nodes", {0, 1, 3}}}};
  expect_refused(skeleton, "joint 'prop': it is farther than 1e+12 from the origin or its parent");
}

TEST(ImportGltf, RefusesWhatANodeBringsToOnePoint) {
  GltfFile file = GltfFile::triangle();
  file.json["nodes"][0]["scale"] = {1e-9, 1e-9, 1};
  EXPECT_TRUE(file.import());
  file.json["nodes"][0]["translation"] = {1, 1, 1};  // single precision loses the scale next to it
  EXPECT_TRUE(file.import());                        // but the scale may hide it
  file.add_channel(test::node_target(0, "scale"), {0}, "VEC3", std::vector<float>{1e-9f, 1e-9f, 1});
  expect_refused(file, "all vertices are at one point");
}

TEST(ImportGltf, RefusesJointsThatAreBoundFarAway) {
  for (const float far : {1e13f, 1e20f, 1e30f}) {
    GltfFile file = GltfFile::skinned_triangle();
    file.json["skins"][0]["inverseBindMatrices"] =
        file.add({glm::mat4(1.0f), glm::translate(glm::mat4(1.0f), glm::vec3(0, far, 0))});
    expect_refused(file, "joint 'tip': its inverse bind matrix puts it farther than 1e+12 from the origin");
  }
}

}  // namespace
}  // namespace pelt
