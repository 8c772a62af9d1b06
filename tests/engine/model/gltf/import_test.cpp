// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <glm/gtc/matrix_inverse.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>

#include <pelt/import.h>
#include <pelt/pose.h>

#include "tests/engine/model/gltf/gltf_file.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::expect_refused;
using test::GltfFile;
using test::imported;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void expect_near(const glm::vec3& a, const glm::vec3& b, float tolerance = 1e-5f) {
  EXPECT_LE(glm::distance(a, b), tolerance)
      << a.x << ' ' << a.y << ' ' << a.z << " is not " << b.x << ' ' << b.y << ' ' << b.z;
}

std::vector<std::string> joint_names(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.skeleton.joints) names.push_back(joint.name);
  return names;
}

// Returns the position that linear blend gives a vertex in the rest pose.
glm::vec3 at_rest(const Model& model, const Mesh& mesh, std::size_t vertex) {
  std::vector<glm::mat4> matrices(model.skeleton.joints.size());
  rest_matrices(model.skeleton, matrices);
  glm::vec4 sum(0.0f);
  for (const Influence& influence : mesh.weights.row(vertex)) {
    const BoundJoint& bound = model.bound_joints[influence.index];
    sum += influence.weight * (matrices[bound.joint] * bound.inverse_bind * glm::vec4(mesh.positions[vertex], 1.0f));
  }
  return sum;
}

// ---- What a model needs

TEST(ImportGltf, NeedsAMeshThatANodeShows) {
  expect_refused({}, "holds no mesh");
  GltfFile file = GltfFile::triangle();
  file.json["nodes"] = {{{"name", "empty"}}};
  expect_refused(file, "holds no mesh");
  file.json.erase("nodes");
  expect_refused(file, "holds no mesh");
}

// The triangle has no normals.
const char* const kFlat = "meshes without normals, which get flat ones: 'mesh_0'";

TEST(ImportGltf, ReadsATriangle) {
  const Model model = imported(GltfFile::triangle());
  EXPECT_EQ(model.name, "model.gltf");
  ASSERT_EQ(model.meshes.size(), 1u);
  const Mesh& mesh = model.meshes[0];
  EXPECT_EQ(mesh.name, "mesh_0");
  EXPECT_THAT(mesh.positions, ElementsAre(glm::vec3(0), glm::vec3(1, 0, 0), glm::vec3(0, 1, 0)));
  EXPECT_THAT(mesh.triangles, ElementsAre(glm::uvec3(0, 1, 2)));
  EXPECT_THAT(mesh.normals, testing::Each(glm::vec3(0, 0, 1)));
  EXPECT_TRUE(mesh.tangents.empty());
  EXPECT_TRUE(mesh.uvs.empty());
  EXPECT_THAT(joint_names(model), ElementsAre("node_0"));
  ASSERT_EQ(model.bound_joints.size(), 1u);
  EXPECT_EQ(mesh.weights.row_count(), 3u);
  EXPECT_THAT(mesh.weights.row(2), ElementsAre(Influence{0, 1.0f}));
  EXPECT_THAT(model.report.notes, ElementsAre(kFlat));
}

TEST(ImportGltf, ReadsEveryCharacter) {
  PELT_REQUIRE_SHARED();
  for (const auto& file : test::shared_files("assets/characters", {".gltf", ".glb", ".obj"})) {
    const Result<Model> model = import_model(file.string());
    EXPECT_TRUE(model) << model.error().message;
  }
}

// ---- Geometry

template <class T>
class Indices : public testing::Test {};
using IndexTypes = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t>;
TYPED_TEST_SUITE(Indices, IndexTypes);

TYPED_TEST(Indices, AreReadAndChecked) {
  GltfFile file = GltfFile::triangle();
  file.json["meshes"][0]["primitives"][0]["indices"] = file.add("SCALAR", std::vector<TypeParam>{2, 0, 1});
  EXPECT_THAT(imported(file).meshes[0].triangles, ElementsAre(glm::uvec3(2, 0, 1)));
  file.json["meshes"][0]["primitives"][0]["indices"] = file.add("SCALAR", std::vector<TypeParam>{2, 0, 3});
  expect_refused(file, "/meshes/0/primitives/0/indices: names vertex 3 of 3");
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
  primitives = {bare};
  expect_refused(file, "holds no mesh with positions");
}

TEST(ImportGltf, ReadsSparseAccessors) {
  GltfFile file = GltfFile::triangle();
  const std::vector<std::uint16_t> indices{1};
  const std::vector<float> values{7, 8, 9};
  const json sparse{
      {"count", 1},
      {"indices", {{"bufferView", file.add_view(std::as_bytes(std::span(indices)))}, {"componentType", 5123}}},
      {"values", {{"bufferView", file.add_view(std::as_bytes(std::span(values)))}}}};
  file.json["accessors"][0]["sparse"] = sparse;
  EXPECT_THAT(imported(file).meshes[0].positions, ElementsAre(glm::vec3(0), glm::vec3(7, 8, 9), glm::vec3(0, 1, 0)));
  file.json["accessors"][0].erase("bufferView");
  EXPECT_THAT(imported(file).meshes[0].positions, ElementsAre(glm::vec3(0), glm::vec3(7, 8, 9), glm::vec3(0)));
  file.json["accessors"][0].erase("sparse");
  expect_refused(file, "all vertices are at one point");
}

TEST(ImportGltf, ReadsInterleavedViews) {
  GltfFile file = GltfFile::triangle();
  const std::vector<float> vertices{0, 0, 0, 0, 0, 1,  //
                                    2, 0, 0, 0, 0, 1,  //
                                    0, 2, 0, 0, 0, 1};
  const int view = file.add_view(std::as_bytes(std::span(vertices)));
  file.json["bufferViews"][view]["byteStride"] = 24;
  for (const int offset : {0, 12}) {
    file.push("accessors",
              {{"bufferView", view}, {"byteOffset", offset}, {"componentType", 5126}, {"count", 3}, {"type", "VEC3"}});
  }
  file.json["meshes"][0]["primitives"][0]["attributes"] = {{"POSITION", 1}, {"NORMAL", 2}};
  const Model model = imported(file);
  EXPECT_THAT(model.meshes[0].positions, ElementsAre(glm::vec3(0), glm::vec3(2, 0, 0), glm::vec3(0, 2, 0)));
  EXPECT_THAT(model.meshes[0].normals, testing::Each(glm::vec3(0, 0, 1)));
}

TEST(ImportGltf, MakesNormalsWhereTheyAreMissingOrZero) {
  GltfFile file = GltfFile::triangle();
  file.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] =
      file.add(std::vector<glm::vec3>{{0, 0, 0}, {0, 3, 4}, {1, 0, 0}});
  const Model model = imported(file);
  EXPECT_EQ(model.meshes[0].normals[0], glm::vec3(0, 0, 1));
  expect_near(model.meshes[0].normals[1], {0, 0.6f, 0.8f});
  EXPECT_EQ(model.meshes[0].normals[2], glm::vec3(1, 0, 0));
  EXPECT_THAT(model.report.notes, Contains(HasSubstr("2 normals were not unit")));
}

TEST(ImportGltf, ReadsTangentsAndTextureCoordinates) {
  GltfFile file = GltfFile::triangle();
  json& attributes = file.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["NORMAL"] = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  attributes["TANGENT"] = file.add("VEC4", std::vector<float>{1, 0, 0, 1, 0, 2, 0, -1, 0, 0, 0, 1});
  attributes["TEXCOORD_0"] = file.add("VEC2", std::vector<std::uint8_t>{0, 255, 51, 102, 0, 0}, true);
  const Mesh mesh = imported(file).meshes[0];
  EXPECT_EQ(mesh.tangents[0], glm::vec4(1, 0, 0, 1));
  EXPECT_EQ(mesh.tangents[1], glm::vec4(0, 1, 0, -1));
  EXPECT_NEAR(glm::dot(glm::vec3(mesh.tangents[2]), mesh.normals[2]), 0, 1e-6f);
  EXPECT_NEAR(glm::length(glm::vec3(mesh.tangents[2])), 1, 1e-6f);
  EXPECT_EQ(mesh.uvs[0], glm::vec2(0, 1));
  EXPECT_NEAR(glm::distance(mesh.uvs[1], glm::vec2(0.2f, 0.4f)), 0, 1e-6f);

  attributes["TANGENT"] = file.add("VEC4", std::vector<float>{1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1});
  expect_refused(file, "tangent 1 has the handedness 0");
}

TEST(ImportGltf, MakesTangentsWhereTheyAreMissing) {
  GltfFile file = GltfFile::triangle();
  json& primitives = file.json["meshes"][0]["primitives"];
  json& attributes = primitives[0]["attributes"];
  attributes["NORMAL"] = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  attributes["TEXCOORD_0"] = file.add("VEC2", std::vector<float>{0, 0, 0, -1, 1, 0});  // u rises with y, v falls with x
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

TEST(ImportGltf, ReadsQuantizedMeshes) {
  GltfFile file;
  file.add("VEC3", std::vector<std::int16_t>{0, 0, 0, 32767, 0, 0, 0, -32767, 0}, true);
  file.json["bufferViews"][0]["byteStride"] = 8;
  file.json["bufferViews"][0]["byteLength"] = 22;
  file.data = std::string(24, '\0');
  file.data[8] = file.data[18] = '\xFF';
  file.data[9] = '\x7F';
  file.data[18] = '\x01';
  file.data[19] = '\x80';
  file.add_mesh({{"POSITION", 0}});
  file.push("nodes", {{"mesh", 0}});
  expect_refused(file, "/meshes/0/primitives/0/attributes/POSITION: cannot be VEC3 of normalised SHORT");
  file.json["extensionsUsed"] = {"KHR_mesh_quantization"};
  file.json["extensionsRequired"] = {"KHR_mesh_quantization"};
  EXPECT_THAT(imported(file).meshes[0].positions, ElementsAre(glm::vec3(0), glm::vec3(1, 0, 0), glm::vec3(0, -1, 0)));
}

// ---- The hierarchy

TEST(ImportGltf, PutsParentsBeforeChildren) {
  GltfFile file = GltfFile::triangle();
  file.json["nodes"] = {{{"name", "leaf"}, {"mesh", 0}},
                        {{"name", "root"}, {"children", {3, 2}}},
                        {{"name", "b"}, {"children", {0}}},
                        {{"name", "a"}}};
  const Model model = imported(file);
  EXPECT_THAT(joint_names(model), ElementsAre("root", "a", "b", "leaf"));
  EXPECT_EQ(model.skeleton.joints[0].parent, -1);
  EXPECT_EQ(model.skeleton.joints[1].parent, 0);
  EXPECT_EQ(model.skeleton.joints[2].parent, 0);
  EXPECT_EQ(model.skeleton.joints[3].parent, 2);
}

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

TEST(ImportGltf, ShowsTheDefaultScene) {
  GltfFile file = GltfFile::triangle();
  file.json["nodes"] = {
      {{"name", "shown"}, {"children", {1}}}, {{"name", "too"}, {"mesh", 0}}, {{"name", "not"}, {"mesh", 0}}};
  file.json["scenes"] = {{{"nodes", {2}}}, {{"nodes", {0}}}};
  file.json["scene"] = 1;
  const Model model = imported(file);
  ASSERT_EQ(model.meshes.size(), 1u);
  EXPECT_EQ(model.meshes[0].name, "too");
  EXPECT_EQ(model.skeleton.joints.size(), 3u);
}

json columns(const glm::mat4& m) {
  json values = json::array();
  for (int c = 0; c < 16; ++c) values.push_back(m[c / 4][c % 4]);
  return values;
}

TEST(ImportGltf, DecomposesMatrixNodes) {
  const glm::mat4 rotation = glm::rotate(glm::mat4(1.0f), 2.0f, glm::normalize(glm::vec3(1, 2, 3)));
  for (const glm::vec3& scale : {glm::vec3(1), glm::vec3(2, 0.5f, 3), glm::vec3(-1, 2, 1), glm::vec3(-2, -3, -4)}) {
    const glm::mat4 matrix = glm::translate(glm::mat4(1.0f), {4, 5, 6}) * rotation * glm::scale(glm::mat4(1.0f), scale);
    GltfFile file = GltfFile::triangle();
    file.json["nodes"][0]["matrix"] = columns(matrix);
    const Model model = imported(file);
    EXPECT_FALSE(model.skeleton.joints[0].matrix);
    std::vector<glm::mat4> rest(1);
    rest_matrices(model.skeleton, rest);
    for (int c = 0; c < 4; ++c) expect_near(rest[0][c], matrix[c], 1e-5f);
  }
}

TEST(ImportGltf, KeepsMatricesThatHaveAShear) {
  glm::mat4 shear(1.0f);
  shear[1][0] = 0.5f;
  GltfFile file = GltfFile::triangle();
  file.json["nodes"][0]["matrix"] = columns(shear);
  const int times = file.add("SCALAR", std::vector<float>{0});
  const int values = file.add(std::vector<glm::vec3>{{1, 2, 3}});
  file.push("animations", {{"name", "wave"},
                           {"samplers", {{{"input", times}, {"output", values}}}},
                           {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "scale"}}}}}}});
  const Model model = imported(file);
  ASSERT_TRUE(model.skeleton.joints[0].matrix);
  EXPECT_EQ(*model.skeleton.joints[0].matrix, shear);
  expect_near(model.meshes[0].positions[2], {0.5f, 1, 0});
  EXPECT_TRUE(model.clips.empty());
  EXPECT_THAT(model.report.notes, Contains(HasSubstr("1 channels ignored")));

  shear[0][3] = 0.5f;
  file.json["nodes"][0]["matrix"] = columns(shear);
  expect_refused(file, "/nodes/0/matrix: its last row is not 0 0 0 1");
}

// ---- Model space at bind

TEST(ImportGltf, BringsRigidMeshesToModelSpace) {
  GltfFile file = GltfFile::triangle();
  file.json["nodes"][0]["translation"] = {0, 0, 5};
  file.json["nodes"][0]["scale"] = {2, 2, 2};
  const Model model = imported(file);
  expect_near(model.meshes[0].positions[1], {2, 0, 5});
  for (std::size_t v = 0; v < 3; ++v) expect_near(at_rest(model, model.meshes[0], v), model.meshes[0].positions[v]);
}

TEST(ImportGltf, KeepsTheOutsideOfMirroredMeshesOutside) {
  GltfFile file = GltfFile::triangle();
  json& attributes = file.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["NORMAL"] = file.add(std::vector<glm::vec3>{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}});
  attributes["TANGENT"] = file.add("VEC4", std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1});
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

TEST(ImportGltf, BringsSkinsToModelSpace) {
  // Bound in centimetres with z up; the joints stand in metres with y up.
  GltfFile file = GltfFile::skinned_triangle();
  glm::mat4 metres_from_file(0.01f);
  metres_from_file[3][3] = 1;
  metres_from_file = glm::rotate(glm::mat4(1.0f), -1.5707963f, glm::vec3(1, 0, 0)) * metres_from_file;
  file.json["skins"][0]["inverseBindMatrices"] = file.add(
      std::vector<glm::mat4>{metres_from_file, glm::translate(glm::mat4(1.0f), {0, -1, 0}) * metres_from_file});
  const Model model = imported(file);
  expect_near(model.meshes[0].positions[1], {0.01f, 0, 0});
  expect_near(model.meshes[0].positions[2], {0, 0, -0.01f});
  expect_near(model.meshes[0].normals[0], {0, 1, 0});
  for (std::size_t v = 0; v < 3; ++v) expect_near(at_rest(model, model.meshes[0], v), model.meshes[0].positions[v]);
  // The inverse bind matrices are now those of the rest pose.
  for (int c = 0; c < 4; ++c) expect_near(model.bound_joints[0].inverse_bind[c], glm::mat4(1.0f)[c]);
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
  expect_near(model.find_mesh("hat")->positions[0], {0, 1.5f, 0});  // beside the tip's place at bind
  expect_near(at_rest(model, body, 2), {0, 3, 0});
  expect_near(at_rest(model, other, 2), {0, 3, 0});
  expect_near(at_rest(model, *model.find_mesh("hat"), 0), {0, 3.5f, 0});
}

TEST(ImportGltf, SurvivesJointsOfNoSize) {
  GltfFile file = GltfFile::skinned_triangle();
  file.json["nodes"][1]["scale"] = {0, 0, 0};
  const Model model = imported(file);
  EXPECT_EQ(model.meshes[0].positions[1], glm::vec3(1, 0, 0));
  expect_near(at_rest(model, model.meshes[0], 1), {0, 0, 0});
}

TEST(ImportGltf, RefusesWhatOverflows) {
  GltfFile file = GltfFile::triangle();
  file.json["nodes"] = {{{"scale", {1e30, 1, 1}}, {"children", {1}}}, {{"scale", {1e30, 1, 1}}, {"mesh", 0}}};
  expect_refused(file, "does not fit single precision");
  GltfFile far = GltfFile::triangle();
  far.json["nodes"][0]["translation"] = {1e13, 0, 0};
  expect_refused(far, "mesh 'mesh_0': vertex 0 is farther than");
  GltfFile skeleton = GltfFile::skinned_triangle();
  skeleton.json["nodes"].push_back({{"name", "prop"}, {"translation", {0, 1e30, 0}}});
  skeleton.json["scenes"] = {{{"nodes", {0, 1, 3}}}};
  expect_refused(skeleton, "joint 'prop': it stands farther than 1e+12 from the origin or its parent");
}

TEST(ImportGltf, RefusesJointsThatAreBoundFarAway) {
  for (const float far : {1e13f, 1e20f, 1e30f}) {
    GltfFile file = GltfFile::skinned_triangle();
    file.json["skins"][0]["inverseBindMatrices"] =
        file.add({glm::mat4(1.0f), glm::translate(glm::mat4(1.0f), glm::vec3(0, far, 0))});
    expect_refused(file, "joint 'tip': by its inverse bind matrix it stands farther than 1e+12 from the origin");
  }
}

// ---- Skins

TEST(ImportGltf, IgnoresTheTransformOfASkinnedNode) {
  GltfFile file = GltfFile::skinned_triangle();
  const Model plain = imported(file);
  file.json["nodes"][0]["translation"] = {3, 4, 5};
  const Model moved = imported(file);
  EXPECT_EQ(plain.meshes[0].positions, moved.meshes[0].positions);
  EXPECT_EQ(at_rest(plain, plain.meshes[0], 2), at_rest(moved, moved.meshes[0], 2));
}

TEST(ImportGltf, TakesMissingInverseBindMatricesAsIdentity) {
  GltfFile file = GltfFile::skinned_triangle();
  file.json["skins"][0].erase("inverseBindMatrices");
  const Model model = imported(file);
  expect_near(at_rest(model, model.meshes[0], 0), {0, 0, 0});
  expect_near(at_rest(model, model.meshes[0], 2), {0, 2, 0});  // moved by the tip
}

template <class T>
class Joints : public testing::Test {};
using JointTypes = testing::Types<std::uint8_t, std::uint16_t>;
TYPED_TEST_SUITE(Joints, JointTypes);

TYPED_TEST(Joints, AreReadAndChecked) {
  GltfFile file = GltfFile::skinned_triangle();
  json& attributes = file.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["JOINTS_0"] = file.add("VEC4", std::vector<TypeParam>{1, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const Model model = imported(file);  // joint 99 has weight 0
  const auto row = model.meshes[0].weights.row(0);
  ASSERT_EQ(row.size(), 1u);
  EXPECT_EQ(model.skeleton.joints[model.bound_joints[row[0].index].joint].name, "tip");
  attributes["JOINTS_0"] = file.add("VEC4", std::vector<TypeParam>{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  expect_refused(file, "vertex 0 names joint 2 of 2");
}

TEST(ImportGltf, ReadsWeightsOfEveryType) {
  const auto weights_of = [](const auto& values, bool normalized) {
    GltfFile file = GltfFile::skinned_triangle();
    json& attributes = file.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = file.add("VEC4", std::vector<std::uint8_t>{0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0});
    attributes["WEIGHTS_0"] = file.add("VEC4", values, normalized);
    const Model model = imported(file);
    EXPECT_EQ(model.report.renormalised_vertices, 0u);
    return model.meshes[0].weights.row(0)[0].weight;
  };
  EXPECT_NEAR(weights_of(std::vector<float>{0.8f, 0.2f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, false), 0.8f, 1e-6f);
  EXPECT_NEAR(weights_of(std::vector<std::uint8_t>{204, 51, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0}, true), 0.8f, 1e-6f);
  EXPECT_NEAR(weights_of(std::vector<std::uint16_t>{52428, 13107, 0, 0, 65535, 0, 0, 0, 65535, 0, 0, 0}, true), 0.8f,
              1e-6f);
}

TEST(ImportGltf, ReadsEverySetOfWeights) {
  GltfFile file = GltfFile::skinned_triangle();
  json& attributes = file.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["WEIGHTS_0"] = file.add("VEC4", std::vector<float>{0.5f, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  attributes["JOINTS_1"] = file.add("VEC4", std::vector<std::uint16_t>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  attributes["WEIGHTS_1"] = file.add("VEC4", std::vector<float>{0.25f, 0.25f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const Model model = imported(file);
  EXPECT_THAT(model.meshes[0].weights.row(0), ElementsAre(Influence{0, 0.75f}, Influence{1, 0.25f}));
  EXPECT_EQ(model.report.renormalised_vertices, 0u);
  attributes.erase("WEIGHTS_1");
  expect_refused(file, "JOINTS_1: has no counterpart");
}

TEST(ImportGltf, NormalisesWeightsAndCounts) {
  GltfFile file = GltfFile::skinned_triangle();
  file.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] =
      file.add("VEC4", std::vector<float>{0.25f, 0, 0, 0, 2, -1, 0, 0, 1, 0, 0, 0});
  const Model model = imported(file);
  EXPECT_EQ(model.report.renormalised_vertices, 2u);
  for (std::size_t v = 0; v < 3; ++v)
    EXPECT_THAT(model.meshes[0].weights.row(v), ElementsAre(testing::Field(&Influence::weight, 1.0f)));
  EXPECT_THAT(model.report.notes, Contains(HasSubstr("1 weights below 0")));
}

TEST(ImportGltf, LetsUnweightedVerticesFollowTheNearestJoint) {
  GltfFile file = GltfFile::skinned_triangle();
  json& attributes = file.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["WEIGHTS_0"] = file.add("VEC4", std::vector<float>(12, 0.0f));
  const auto followed = [](const Model& model, std::size_t v) {
    return model.skeleton.joints[model.bound_joints[model.meshes[0].weights.row(v)[0].index].joint].name;
  };
  for (const bool has_attributes : {true, false}) {
    if (!has_attributes) attributes = {{"POSITION", 0}};
    const Model model = imported(file);
    EXPECT_EQ(model.report.unweighted_vertices, 3u);
    EXPECT_EQ(followed(model, 0), "root");
    EXPECT_EQ(followed(model, 1), "root");
    EXPECT_EQ(followed(model, 2), "tip");
  }
}

TEST(ImportGltf, SharesBoundJoints) {
  GltfFile file = GltfFile::skinned_triangle();
  file.push("skins", file.json["skins"][0]);
  file.push("nodes", {{"mesh", 0}, {"skin", 1}});
  const Model model = imported(file);
  EXPECT_EQ(model.meshes.size(), 2u);
  EXPECT_EQ(model.bound_joints.size(), 2u);
}

// ---- Clips

GltfFile animated(const std::string& path, const std::string& interpolation, int times, GltfFile file, int values) {
  file.push("animations", {{"samplers", {{{"input", times}, {"output", values}, {"interpolation", interpolation}}}},
                           {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", path}}}}}}});
  return file;
}

GltfFile animated(const std::string& path, const std::string& interpolation, const std::vector<float>& times,
                  const std::string& type, const std::vector<float>& values) {
  GltfFile file = GltfFile::triangle();
  const int input = file.add("SCALAR", times);
  const int output = file.add(type, values);
  return animated(path, interpolation, input, file, output);
}

TEST(ImportGltf, ReadsClipsOfEveryInterpolation) {
  const Model step = imported(animated("scale", "STEP", {0, 2}, "VEC3", {1, 2, 3, 4, 5, 6}));
  ASSERT_EQ(step.clips.size(), 1u);
  EXPECT_EQ(step.clips[0].name, "clip_0");
  EXPECT_EQ(step.clips[0].duration, 2);
  const Channel& channel = step.clips[0].channels[0];
  EXPECT_EQ(channel.path, ChannelPath::kScale);
  EXPECT_EQ(channel.interpolation, Interpolation::kStep);
  EXPECT_THAT(channel.times, ElementsAre(0, 2));
  EXPECT_THAT(channel.values, ElementsAre(1, 2, 3, 4, 5, 6));

  const Model linear = imported(animated("rotation", "LINEAR", {0, 1}, "VEC4", {0, 0, 0, 2, 0, 3, 0, 0}));
  EXPECT_THAT(linear.clips[0].channels[0].values, ElementsAre(0, 0, 0, 1, 0, 1, 0, 0));
  const Model cubic = imported(animated("translation", "CUBICSPLINE", {1}, "VEC3", {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(cubic.clips[0].channels[0].interpolation, Interpolation::kCubicSpline);
  EXPECT_EQ(cubic.clips[0].channels[0].values.size(), 9u);
}

TEST(ImportGltf, ReadsRotationsOfEveryType) {
  const auto check = [](const auto& values) {
    GltfFile file = GltfFile::triangle();
    const int times = file.add("SCALAR", std::vector<float>{0});
    const Model model = imported(animated("rotation", "LINEAR", times, file, file.add("VEC4", values, true)));
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
  expect_refused(animated("scale", "LINEAR", {0}, "VEC3", {1, kNan, 1}), "not finite");
  expect_refused(animated("scale", "LINEAR", {0}, "VEC4", {1, 1, 1, 1}), "scale cannot be VEC4 of FLOAT");
  expect_refused(animated("rotation", "LINEAR", {0}, "VEC4", {0, 0, 0, 0}), "rotation without length");
  expect_refused(animated("colour", "LINEAR", {0}, "VEC3", {1, 1, 1}), "cannot animate 'colour'");
  expect_refused(animated("scale", "QUINTIC", {0}, "VEC3", {1, 1, 1}), "'QUINTIC' is not one of LINEAR");
}

// ---- Containers, buffers, and defects of documents

TEST(ImportGltf, ReadsGlb) {
  const test::TemporaryFolder folder;
  const std::string glb = GltfFile::skinned_triangle().glb();
  const Result<Model> model = import_gltf(folder.write("model.glb", glb));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->bound_joints.size(), 2u);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{3}, std::size_t{11}, std::size_t{19}, glb.size() / 2, glb.size() - 1}) {
    const Result<Model> cut = import_gltf(folder.write("cut.glb", std::string_view(glb).substr(0, length)));
    ASSERT_FALSE(cut) << length;
    EXPECT_THAT(cut.error().message, HasSubstr("cut.glb"));
  }
  std::string version = glb;
  version[4] = 1;
  EXPECT_THAT(import_gltf(folder.write("v1.glb", version)).error().message, HasSubstr("GLB version 1 is not 2"));
}

TEST(ImportGltf, ReadsBuffersBesideTheFileAndNoOthers) {
  const test::TemporaryFolder folder;
  GltfFile file = GltfFile::triangle();
  folder.write("sub/a b.bin", file.data + "more than declared");
  folder.write("secret.bin", file.data);
  const auto import_with = [&](const std::string& uri) {
    file.json["buffers"] = {{{"byteLength", file.data.size()}, {"uri", uri}}};
    folder.write("sub/deep/b.bin", file.data);
    return import_gltf(folder.write("sub/model.gltf", file.text()));
  };
  for (const char* uri : {"a%20b.bin", "a b.bin", "./a%20b.bin", "deep/b.bin"}) {
    const auto model = import_with(uri);
    EXPECT_TRUE(model) << model.error().message;
  }
  for (const char* uri :
       {"../secret.bin", "deep/../../secret.bin", "%2E%2E/secret.bin", "..\\secret.bin", "/etc/passwd"}) {
    const auto model = import_with(uri);
    ASSERT_FALSE(model) << uri;
    EXPECT_THAT(model.error().message, HasSubstr("leaves the model's folder"));
  }
  EXPECT_THAT(import_with("file:///etc/passwd").error().message, HasSubstr("scheme"));
  EXPECT_THAT(import_with("gone.bin").error().message, HasSubstr("no such file"));
  EXPECT_THAT(import_with("deep").error().message, HasSubstr("not a regular file"));
  EXPECT_THAT(import_with("").error().message, HasSubstr("is empty"));
  EXPECT_THAT(import_with("data:text/plain,abc").error().message, HasSubstr("not base64"));
  EXPECT_THAT(import_with("data:;base64,AAAA").error().message, HasSubstr("there are 3 bytes"));
}

TEST(ImportGltf, RefusesExtensionsThatItNeedsAndDoesNotKnow) {
  GltfFile file = GltfFile::triangle();
  file.json["extensionsUsed"] = {"KHR_draco_mesh_compression", "KHR_materials_unlit"};
  EXPECT_TRUE(file.import());
  file.json["extensionsRequired"] = {"KHR_materials_unlit"};
  EXPECT_TRUE(file.import());
  file.json["extensionsRequired"] = {"KHR_draco_mesh_compression"};
  expect_refused(file,
                 "'KHR_draco_mesh_compression' is an extension that is not supported; export the model again without "
                 "Draco compression",
                 ErrorCode::kUnsupported);
}

TEST(ImportGltf, NeedsNoTexturesMaterialsAndLights) {
  GltfFile file = GltfFile::triangle();
  for (const char* name : {"KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif", "KHR_texture_transform",
                           "KHR_lights_punctual", "EXT_lights_image_based", "KHR_materials_unlit", "KHR_xmp_json_ld"}) {
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = {name};
    EXPECT_TRUE(file.import()) << name;
  }
  for (const char* name : {"", "_", "texture_basisu", "KHR_texture", "EXT_mesh_gpu_instancing"}) {
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = {name};
    expect_refused(file, "is an extension that is not supported", ErrorCode::kUnsupported);
  }
}

struct Defect {
  std::string place;  // JSON pointer
  json value;
  std::string why;
  ErrorCode code = ErrorCode::kInvalidFile;
};

TEST(ImportGltf, NamesTheDefectAndItsPlace) {
  const std::vector<Defect> defects{
      {"/asset/version", "1.0", "is not glTF 2.0", ErrorCode::kUnsupported},
      {"/asset/minVersion", "2.1", "is not glTF 2.0", ErrorCode::kUnsupported},
      {"/asset", json::array(), "/asset: is an array and not an object"},
      {"/scene", 0, "/scene: 0 of 0 scenes"},
      {"/nodes/0/mesh", 1, "/nodes/0/mesh: 1 of 1 meshes"},
      {"/nodes/0/skin", -1, "/nodes/0/skin: -1 is not within"},
      {"/nodes/1/children", {2, 2}, "node 2 already is a child of node 1"},
      {"/nodes/2/children", {2}, "node 2 already is a child of node 1"},
      {"/nodes/1/children", {1}, "is part of a cycle"},
      {"/nodes/1/rotation", {0, 0, 0, 0}, "/nodes/1/rotation: has no length"},
      {"/nodes/1/scale", {1, 1}, "/nodes/1/scale: holds 2 entries, not 3"},
      {"/nodes/1/scale", {1e39, 1, 1}, "does not fit single precision"},
      {"/nodes/1/extensions", 42, "/nodes/1/extensions: is 42 and not an object"},
      {"/meshes/0/primitives", json::array(), "/meshes/0/primitives: holds 0 entries"},
      {"/meshes/0/primitives/0/mode", 7, "7 is not within 0 and 6"},
      {"/meshes/0/primitives/0/attributes/UV", 0, "/attributes/UV: no such attribute"},
      {"/meshes/0/primitives/0/attributes/TEXCOORD_00", 0, "no such attribute"},
      {"/meshes/0/primitives/0/attributes/POSITION", 9, "9 of 4 accessors"},
      {"/meshes/0/primitives/0/attributes/POSITION", 2, "POSITION: cannot be VEC4 of FLOAT"},
      {"/meshes/0/primitives/0/attributes/NORMAL", 3, "2 elements where 'JOINTS_0' has 3"},
      {"/meshes/0/primitives/0/indices", 0, "indices: cannot be VEC3 of FLOAT"},
      {"/skins/0/joints", json::array(), "/skins/0/joints: holds 0 entries"},
      {"/skins/0/joints", {1, 1}, "names node 1 twice"},
      {"/skins/0/joints/1", 4294967295u, "/skins/0/joints/1: 4294967295 is not within"},
      {"/skins/0/inverseBindMatrices", 0, "cannot be VEC3 of FLOAT"},
      {"/accessors/3/count", 1, "1 matrices for 2 joints"},
      {"/accessors/0/count", 4, "4 elements need 48 bytes, but buffer view 0 has 36"},
      {"/accessors/0/count", 0, "0 is not within 1"},
      {"/accessors/0/count", "3", "is a string and not an integer"},
      {"/accessors/0/count", 2.5, "2.5 and not an integer"},
      {"/accessors/0/byteOffset", 1, "need 37 bytes"},
      {"/accessors/1/componentType", 5124, "no such component type"},
      {"/accessors/0/type", "VEC5", "'VEC5' is not one of SCALAR"},
      {"/bufferViews/0/byteOffset", 18446744073709551600u, "18446744073709551600 is not within"},
      {"/bufferViews/0/byteOffset", 2147483647, "ends at byte 2147483683 of buffer 0"},
      {"/bufferViews/0/byteOffset", 2, "elements are not aligned to 4 bytes"},
      {"/bufferViews/0/byteStride", 6, "6 is no multiple of 4"},
      {"/bufferViews/0/byteStride", 8, "elements of 12 bytes overlap"},
      {"/bufferViews/0/buffer", 1, "1 of 1 buffers"},
  };
  for (const Defect& defect : defects) {
    SCOPED_TRACE(defect.place + " = " + defect.value.dump());
    GltfFile file = GltfFile::skinned_triangle();
    file.json = json::parse(file.text());
    file.json[json::json_pointer(defect.place)] = defect.value;
    expect_refused(file, defect.why, defect.code);
  }
}

TEST(ImportGltf, RefusesValuesThatAreNotFinite) {
  for (const int accessor : {0, 2, 3}) {
    GltfFile file = GltfFile::skinned_triangle();
    const std::size_t offset = file.json["bufferViews"][accessor]["byteOffset"];
    std::memcpy(&file.data[offset], &kNan, sizeof(float));
    expect_refused(file, "/accessors/" + std::to_string(accessor) + ": element 0 is not finite");
  }
}

TEST(ImportGltf, BoundsWhatAFileMayBecome) {
  // Few bytes that would become many vertices: as one accessor, and as many nodes that show one mesh.
  GltfFile zeros = GltfFile::triangle();
  zeros.json["accessors"][0].erase("bufferView");
  for (const int count : {40'000'000, 2'000'000'000}) {
    zeros.json["accessors"][0]["count"] = count;
    EXPECT_EQ(zeros.import().error().code, ErrorCode::kUnsupported);
  }
  GltfFile nested = GltfFile::triangle();
  std::string text = nested.text();
  text.back() = ',';
  text += "\"extras\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  const test::TemporaryFolder folder;
  EXPECT_THAT(import_gltf(folder.write("nested.gltf", text)).error().message, HasSubstr("nested more than 256 deep"));
}

TEST(ImportGltf, SurvivesLongChainsOfNodes) {
  GltfFile file = GltfFile::triangle();
  constexpr int kLength = 50'000;
  for (int i = 1; i < kLength; ++i) {
    file.json["nodes"][i - 1]["children"] = {i};
    file.push("nodes", json::object());
  }
  EXPECT_EQ(imported(file).skeleton.joints.size(), static_cast<std::size_t>(kLength));
}

}  // namespace
}  // namespace pelt
