// SPDX-License-Identifier: MIT
// Tests primitives, accessors, normals and tangents.
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
using test::primitive;

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

}  // namespace
}  // namespace pelt
