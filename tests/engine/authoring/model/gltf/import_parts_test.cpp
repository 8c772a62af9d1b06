// SPDX-License-Identifier: MIT
// Tests primitives, accessors, nodes, skins and clips. RandomGltf (random/) reads what needs no defect.
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
using test::node_target;
using test::primitive;

// ---------------------------------------------------------------------------------------------------------- primitives

TEST(ImportGltf, RefusesIndicesOfNoVertex) {
  GltfFile file = GltfFile::triangle();
  primitive(file)["indices"] = file.add("SCALAR", std::vector<std::uint8_t>{2, 0, 3});
  expect_refused(file, "/meshes/0/primitives/0/indices: names vertex 3, but there are only 3");
}

GltfFile pentagon(int mode) {
  GltfFile file;
  file.add(std::vector<glm::vec3>{{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {1, 2, 0}, {0, 1, 0}});
  file.add_mesh({{"POSITION", 0}}, {{"mode", mode}});
  file.push("nodes", {{"mesh", 0}});
  return file;
}

TEST(ImportGltf, UnrollsStripsAndFans) {
  EXPECT_THAT(imported(pentagon(5)).meshes[0].triangles,
              ElementsAre(glm::uvec3(0, 1, 2), glm::uvec3(1, 3, 2), glm::uvec3(2, 3, 4)));
  EXPECT_THAT(imported(pentagon(6)).meshes[0].triangles,
              ElementsAre(glm::uvec3(1, 2, 0), glm::uvec3(2, 3, 0), glm::uvec3(3, 4, 0)));
}

TEST(ImportGltf, DropsAnIncompleteTriangle) {
  const Model model = imported(pentagon(4));
  EXPECT_EQ(model.meshes[0].triangles.size(), 1u);
  EXPECT_THAT(model.report.notes, Contains(HasSubstr("incomplete triangle")));
}

TEST(ImportGltf, ReadsPointsAndLinesAsVertices) {
  for (int mode = 0; mode < 4; ++mode) {
    const Model model = imported(pentagon(mode));
    EXPECT_EQ(model.meshes[0].positions.size(), 5u);
    EXPECT_TRUE(model.meshes[0].triangles.empty());
    EXPECT_TRUE(model.meshes[0].parts.empty());
    EXPECT_THAT(model.meshes[0].normals, testing::Each(glm::vec3(0, 0, 1)));
    EXPECT_EQ(model.meshes[0].weights.row_count(), 5u);
    EXPECT_EQ(model.report.notes.size(), mode == 0 ? 0u : 1u) << "points lose nothing, lines what joins them";
    const std::size_t segments[] = {0, 2, 5, 4};  // glTF 2.0, section 3.7.2.1: points, lines, loop, strip
    ASSERT_EQ(model.lines.size(), mode == 0 ? 0u : 1u);
    if (mode == 0) continue;
    EXPECT_EQ(model.lines[0].segments.size(), segments[mode]);
    EXPECT_EQ(model.lines[0].segments.back(), mode == 1   ? glm::uvec2(2, 3)
                                              : mode == 2 ? glm::uvec2(4, 0)
                                                          : glm::uvec2(3, 4));
  }
}

TEST(ImportGltf, ReadsPointsBesideTriangles) {
  GltfFile file = GltfFile::triangle();
  json& primitives = file.json["meshes"][0]["primitives"];
  primitives[0]["attributes"]["NORMAL"] = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  primitives[0]["attributes"]["TANGENT"] = file.add("VEC4", std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1});
  json lines = primitives[0];
  lines["mode"] = 1;
  const int points = file.add(std::vector<glm::vec3>{{0, 0, 3}, {0, 0, 4}});
  primitives = {lines, primitives[0], {{"attributes", {{"POSITION", points}}}, {"mode", 0}}};
  const Model model = imported(file);
  const Mesh& mesh = model.meshes[0];
  EXPECT_EQ(mesh.positions.size(), 5u);  // the lines are edges of the triangle
  EXPECT_THAT(mesh.triangles, ElementsAre(glm::uvec3(0, 1, 2)));
  EXPECT_EQ(mesh.parts.size(), 1u);
  // Points without tangents do not remove the triangles' tangents.
  ASSERT_EQ(mesh.tangents.size(), 5u);
  EXPECT_EQ(mesh.tangents[0], glm::vec4(1, 0, 0, 1));
  EXPECT_NEAR(glm::length(glm::vec3(mesh.tangents[4])), 1, 1e-6f);
  EXPECT_THAT(model.report.notes, ElementsAre(HasSubstr("meshes with lines")));
}

TEST(ImportGltf, NeedsPositions) {
  GltfFile file = GltfFile::triangle();
  json& primitives = file.json["meshes"][0]["primitives"];
  json bare = {{"attributes", {{"_MASK", file.add("SCALAR", std::vector<float>{1, 2, 3})}}}};
  primitives.push_back(bare);
  EXPECT_THAT(imported(file).report.notes, Contains(HasSubstr("1 primitives without positions left out")));
  primitives = json::array({bare});
  expect_refused(file, "has no mesh with positions");
}

TEST(ImportGltf, MakesNormalsWhereTheyAreMissingOrZero) {
  GltfFile file = GltfFile::triangle();
  attributes(file)["NORMAL"] = file.add(std::vector<glm::vec3>{{0, 0, 0}, {0, 3, 4}, {1, 0, 0}});
  const Model model = imported(file);
  EXPECT_EQ(model.meshes[0].normals[0], glm::vec3(0, 0, 1));
  expect_near(model.meshes[0].normals[1], {0, 0.6f, 0.8f});
  EXPECT_EQ(model.meshes[0].normals[2], glm::vec3(1, 0, 0));
  EXPECT_THAT(model.report.notes, Contains(HasSubstr("2 normals were not unit")));
}

TEST(ImportGltf, MakesTangentsWhereTheyAreMissing) {
  GltfFile file = GltfFile::triangle();
  json& primitives = file.json["meshes"][0]["primitives"];
  attributes(file)["NORMAL"] = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  attributes(file)["TEXCOORD_0"] =
      file.add("VEC2", std::vector<float>{0, 0, 0, -1, 1, 0});  // u rises with y, v falls with x
  EXPECT_THAT(imported(file).meshes[0].tangents, testing::Each(glm::vec4(0, 1, 0, -1)));
  json given = primitives[0];
  given["attributes"]["TANGENT"] = file.add("VEC4", std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1});
  primitives.push_back(given);
  const std::vector<glm::vec4> tangents = imported(file).meshes[0].tangents;
  ASSERT_EQ(tangents.size(), 6u);
  for (std::size_t v = 0; v < 3; ++v) {
    EXPECT_EQ(tangents[v], glm::vec4(0, 1, 0, -1));
    EXPECT_EQ(tangents[v + 3], glm::vec4(1, 0, 0, 1));
  }
}

TEST(ImportGltf, MergesPrimitivesIntoParts) {
  GltfFile file = GltfFile::triangle();
  file.push("materials", {{"name", "skin"}});
  file.push("materials", {{"pbrMetallicRoughness", {{"baseColorFactor", {1, 0.5, 0, 1}}}}});
  const int other = file.add(std::vector<glm::vec3>{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}});
  file.json["meshes"][0]["primitives"] = {
      {{"attributes", {{"POSITION", 0}}}, {"material", 1}},
      {{"attributes", {{"POSITION", 0}}}, {"indices", file.add("SCALAR", std::vector<std::uint8_t>{0, 2, 1})}},
      {{"attributes", {{"POSITION", other}}}, {"material", 0}}};
  const Model model = imported(file);
  const Mesh& mesh = model.meshes[0];
  EXPECT_EQ(mesh.positions.size(), 6u);  // the first two primitives share vertices
  EXPECT_THAT(mesh.triangles, ElementsAre(glm::uvec3(0, 1, 2), glm::uvec3(0, 2, 1), glm::uvec3(3, 4, 5)));
  ASSERT_EQ(mesh.parts.size(), 3u);
  EXPECT_EQ(mesh.parts[2].first_triangle, 2u);
  EXPECT_EQ(mesh.parts[0].material, 1);
  EXPECT_EQ(mesh.parts[1].material, -1);
  EXPECT_EQ(model.materials[0].name, "skin");
  EXPECT_EQ(model.materials[1].name, "material_1");
  EXPECT_EQ(model.materials[1].base_color, glm::vec4(1, 0.5f, 0, 1));
}

// RandomGltf reads quantised attributes of files that require the extension.
TEST(ImportGltf, RefusesQuantizedMeshesWithoutTheExtension) {
  GltfFile file = GltfFile::triangle();
  const int positions = file.add("VEC3", std::vector<std::int16_t>(12), true);
  file.json["accessors"][positions]["count"] = 3;
  file.json["bufferViews"].back()["byteStride"] = 8;
  attributes(file)["POSITION"] = positions;
  expect_refused(file, "/meshes/0/primitives/0/attributes/POSITION: cannot be VEC3 of normalised SHORT");
}

// --------------------------------------------------------------------------------------------------------------- nodes

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
  file.add_channel(node_target(0, "scale"), {0}, "VEC3", std::vector<float>{1, 2, 3});
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
  file.add_channel(node_target(0, "scale"), {0}, "VEC3", std::vector<float>{1e-9f, 1e-9f, 1});
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

// ----------------------------------------------------------------------------------------------------- skins and clips

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

template <class T = float>
GltfFile animated(const std::string& path, const std::string& interpolation, const std::vector<float>& times,
                  const std::string& type, const std::vector<T>& values, bool normalized = false) {
  GltfFile file = GltfFile::triangle();
  file.add_channel(node_target(0, path), times, type, values, interpolation, normalized);
  return file;
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

// -------------------------------------------------------- rest poses that hide meshes, or are far away, cost no digits

std::vector<float> twice(glm::vec3 first, glm::vec3 second) {
  return {first.x, first.y, first.z, second.x, second.y, second.z};
}

// A mesh with odd coordinates, which floats lose when they are scaled or moved.
GltfFile odd_triangle(GltfFile file) {
  file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] =
      file.add(std::vector<glm::vec3>{{0.1f, 0.2f, 0.3f}, {0.7f, 0.11f, 0.13f}, {0.17f, 0.9f, 0.19f}});
  return file;
}

const std::vector<glm::dvec3> kOdd{{0.1f, 0.2f, 0.3f}, {0.7f, 0.11f, 0.13f}, {0.17f, 0.9f, 0.19f}};

TEST(PoseAtBind, KeepsScalesThatCostNoDigits) {
  GltfFile file = GltfFile::triangle();  // in millimetres
  attributes(file)["POSITION"] = file.add(std::vector<glm::vec3>{{0, 0, 0}, {1700, 0, 0}, {0, 900, 0}});
  file.json["nodes"][0]["translation"] = {10, 5, 0};
  file.json["nodes"][0]["scale"] = {0.001, 0.001, 0.001};
  expect_near(imported(file).meshes[0].positions[1], {11.7f, 5, 0});
}

TEST(PoseAtBind, HasTheScaleAtWhichClipsShowIt) {
  for (const float scale : {0.0f, 1e-6f}) {
    GltfFile file = odd_triangle(GltfFile::triangle());
    file.json["nodes"][0]["scale"] = {scale, scale, scale};
    file.add_channel(node_target(0, "scale"), {0, 1}, "VEC3", twice(glm::vec3(scale), glm::vec3(0.02f)));
    expect_near(imported(file).meshes[0].positions[1], 0.02f * glm::vec3(kOdd[1]));
  }
}

TEST(PoseAtBind, MovesFarThingsAsOneAndLeavesNearOnes) {
  GltfFile file = odd_triangle(GltfFile::triangle());  // on the ground
  const int far = file.push("nodes", {{"name", "far"}, {"translation", {0, 100'000, 0}}, {"children", {2, 3}}});
  file.push("nodes", {{"name", "body"}, {"mesh", 0}, {"translation", {0, 1, 0}}});
  file.push("nodes", {{"name", "hat"}, {"mesh", 0}, {"translation", {0, 3, 0}}});
  file.push("nodes", {{"name", "friend"}, {"mesh", 0}, {"translation", {5, 100'000, 0}}});
  file.push("nodes", {{"name", "all"}, {"children", {0, far, 4}}});
  const Model model = imported(file);
  for (std::size_t v = 0; v < 3; ++v) {
    EXPECT_EQ(model.meshes[0].positions[v], glm::vec3(kOdd[v]));
    const glm::vec3 body = model.find_mesh("body")->positions[v];
    EXPECT_LT(glm::length(body), 10.0f);
    expect_near(model.find_mesh("hat")->positions[v] - body, {0, 2, 0});
    expect_near(model.find_mesh("friend")->positions[v] - body, {5, -1, 0});
    expect_near(at_rest(model, *model.find_mesh("body"), v), glm::dvec3(0, 100'001, 0) + kOdd[v], 0.02f);
  }
}

TEST(PoseAtBind, RemembersItsRoot) {
  GltfFile file = odd_triangle(GltfFile::triangle());
  EXPECT_FALSE(imported(file).root_at_bind);
  file.json["nodes"][0]["translation"] = {1, 2, 3};
  EXPECT_FALSE(imported(file).root_at_bind);
  file.json["nodes"][0]["scale"] = {0, 0, 0};
  const Model model = imported(file);
  EXPECT_EQ(model.root_at_bind, glm::translate(glm::mat4(1.0f), glm::vec3(1, 2, 3)));
}

}  // namespace
}  // namespace pelt
