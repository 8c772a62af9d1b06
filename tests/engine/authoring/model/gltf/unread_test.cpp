// SPDX-License-Identifier: MIT
// The importer's notes on data that it does not read: one note for each.
#include "engine/authoring/model/gltf/unread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"
#include "tests/engine/authoring/model/gltf/vrm_file.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::attributes;
using test::GltfFile;
using test::primitive;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> notes_of(const GltfFile& file) { return test::imported(file).report.notes; }

// The skinned triangle with normals: all of it is read.
GltfFile whole_triangle() {
  GltfFile file = GltfFile::skinned_triangle();
  attributes(file)["NORMAL"] = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  return file;
}

int add_uvs(GltfFile& file) { return file.add("VEC2", std::vector<float>{0, 0, 1, 0, 0, 1}); }

TEST(UnreadGltf, IsNotSaidOfWhatIsRead) {
  GltfFile file = whole_triangle();
  attributes(file)["TEXCOORD_0"] = add_uvs(file);
  attributes(file)["TANGENT"] = file.add("VEC4", std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1});
  attributes(file)["COLOR_0"] = file.add(std::vector<glm::vec3>(3, {1, 0, 0}));
  attributes(file)["_MASK"] = file.add("SCALAR", std::vector<float>{1, 0, 1});
  primitive(file)["targets"] = {{{"POSITION", 0}}};
  file.json["meshes"][0]["extras"]["targetNames"] = {"smile"};
  file.json["nodes"][0]["extras"]["bbone_segments"] = 3;
  file.json["extensionsUsed"] = {"KHR_mesh_quantization", "PELT_deformers"};
  EXPECT_THAT(notes_of(file), IsEmpty());
}

TEST(UnreadGltf, AsksForTheUnitOfLength) {
  GltfFile file = whole_triangle();
  for (const float size : {0.005f, 0.015f, 45.0f, 130.0f}) {
    attributes(file)["POSITION"] = file.add(std::vector<glm::vec3>{{0, 0, 0}, {size, 0, 0}, {size / 2, size / 9, 0}});
    const bool fits = size > 0.01f && size < 50;
    EXPECT_EQ(notes_of(file).size(), fits ? 0u : 1u) << size;
  }
  EXPECT_THAT(notes_of(file), ElementsAre("130.8 m across: is the file in centimetres, instead of metres?"));
}

TEST(UnreadGltf, ListsExtensions) {
  GltfFile file = whole_triangle();
  file.json["extensionsUsed"] = {"KHR_materials_variants", "ACME_cloth", "KHR_mesh_quantization"};
  file.json["nodes"][0]["extensions"] = {{"ACME_cloth", json::object()}, {"NOT_declared", json::object()}};
  EXPECT_THAT(notes_of(file), ElementsAre("extensions that are not read: 'ACME_cloth', "
                                          "'KHR_materials_variants', 'NOT_declared'"));
}

TEST(UnreadGltf, ListsWhatIsNotReadOfVrm) {
  const auto with_normals = [](bool old) {
    GltfFile file = test::vrm_file(old);
    attributes(file)["NORMAL"] = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
    file.json["extensionsUsed"] = {old ? "VRM" : "VRMC_vrm"};
    EXPECT_THAT(notes_of(file), IsEmpty());
    return file;
  };
  GltfFile file = with_normals(false);
  json& vrm = file.json["extensions"]["VRMC_vrm"];
  vrm["meta"] = {{"name", "somebody"}};
  vrm["lookAt"] = {{"type", "bone"}};
  vrm["firstPerson"] = json::object();
  vrm["expressions"]["preset"]["happy"]["overrideBlink"] = "block";
  vrm["expressions"]["preset"]["happy"]["overrideMouth"] = "none";
  vrm["expressions"]["custom"]["wink"]["overrideMouth"] = "none";
  vrm["expressions"]["custom"]["wink"]["materialColorBinds"] = {{{"material", 0}}};
  file.json["extensions"]["VRMC_springBone"] = {{"specVersion", "1.0"}};
  EXPECT_THAT(notes_of(file),
              ElementsAre("of VRM, bones and morph targets of expressions are read; not read: materials of 1 "
                          "expression, overrides by 1 expression, metadata, look-at",
                          "extensions that are not read: 'VRMC_springBone'"));
  file = with_normals(true);
  json& old = file.json["extensions"]["VRM"];
  old["secondaryAnimation"] = {{"boneGroups", json::array()}};
  old["materialProperties"] = {{{"name", "skin"}}};
  old["blendShapeMaster"]["blendShapeGroups"][0]["materialValues"] = {{{"materialName", "skin"}}};
  file.json["extensions"]["VRMC_vrm"] = json::object();
  EXPECT_THAT(
      notes_of(file),
      ElementsAre(
          "of VRM, bones and morph targets of expressions are read; not read: the VRM 0.x data next to those of 1.0"));
  file.json["extensions"].erase("VRMC_vrm");
  EXPECT_THAT(notes_of(file), ElementsAre("of VRM, bones and morph targets of expressions are read; not read: "
                                          "materials of 1 expression, spring bones, material properties"));
}

TEST(UnreadGltf, CountsPropertiesOfMaterials) {
  GltfFile file = whole_triangle();
  file.push("materials", {{"doubleSided", true}, {"normalTexture", {{"index", 0}}}, {"alphaMode", "BLEND"}});
  file.push("materials", {{"doubleSided", true},
                          {"alphaMode", "MASK"},
                          {"alphaCutoff", 0.3},
                          {"emissiveFactor", {0, 1, 0}},
                          {"pbrMetallicRoughness", {{"metallicFactor", 0}}}});
  EXPECT_THAT(notes_of(file),
              ElementsAre("only name, base colour with its image and alpha mask of materials are read; ignored: metal "
                          "and roughness of 1 material, normal maps of 1 material, emission of 1 material, alpha "
                          "blending of 1 material, alpha cutoffs (0.5 is used) of 1 material, double sides of 2 "
                          "materials"));
  // Values that equal the defaults.
  file.json["materials"] = {{{"doubleSided", false},
                             {"alphaMode", "OPAQUE"},
                             {"emissiveFactor", {0, 0, 0}},
                             {"pbrMetallicRoughness", {{"metallicFactor", 1}, {"roughnessFactor", 1}}}},
                            {{"alphaMode", "MASK"}, {"alphaCutoff", 0.5}}};
  EXPECT_THAT(notes_of(file), IsEmpty());
}

TEST(UnreadGltf, SaysTheRestInOneLine) {
  GltfFile file = whole_triangle();
  file.json["cameras"] = {{{"type", "perspective"}}, {{"type", "perspective"}}};
  file.json["extensionsUsed"] = {"KHR_lights_punctual"};
  file.json["extensions"]["KHR_lights_punctual"]["lights"] = {{{"type", "point"}}};
  file.json["nodes"][0]["extras"] = {{"tag", 1}, {"bbone_segments", 2}};
  file.json["nodes"][1]["extras"] = {{"bbone_handle_use_ease_start", {1, 2}}, {"tag", 2}};
  file.json["asset"]["copyright"] = "2026";
  EXPECT_THAT(notes_of(file), ElementsAre("not read: 2 cameras, 1 light, custom properties (extras) "
                                          "'bbone_handle_use_ease_start', 'tag', the copyright notice"));
}

// Sixty meshes make one note, not sixty.
TEST(UnreadGltf, NamesAttributesWithTheFirstOfTheirMeshes) {
  GltfFile file = whole_triangle();
  attributes(file)["TEXCOORD_1"] = add_uvs(file);
  const json mesh = file.json["meshes"][0];
  for (int m = 1; m < 60; ++m) {
    file.push("meshes", mesh);
    file.push("nodes", {{"mesh", m}, {"skin", 0}, {"name", "part " + std::to_string(m)}});
  }
  file.json["meshes"][59]["primitives"][0]["attributes"]["COLOR_1"] = file.add(std::vector<glm::vec3>(3, {1, 0, 0}));
  EXPECT_THAT(notes_of(file),
              ElementsAre("vertex attributes that are not read: COLOR_1 of 'part 59', TEXCOORD_1 of 'mesh_0', 'part "
                          "1', 'part 2', 'part 3' and 56 more"));
}

TEST(UnreadGltf, NamesMeshesWhoseDirectionsAreMade) {
  GltfFile file = whole_triangle();
  attributes(file)["TEXCOORD_0"] = add_uvs(file);
  EXPECT_THAT(notes_of(file), ElementsAre("meshes without tangents, which get those of MikkTSpace: 'mesh_0'"));
  attributes(file).erase("TEXCOORD_0");
  attributes(file).erase("NORMAL");
  EXPECT_THAT(notes_of(file), ElementsAre("meshes without normals, which get flat ones: 'mesh_0'"))
      << "without texture coordinates nothing has a normal map";
}

// Two triangles with a right angle between them share vertices 0 and 1, a third in the plane of one shares vertex 0.
GltfFile fold() {
  GltfFile file;
  file.add(std::vector<glm::vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}});
  file.add_mesh({{"POSITION", 0}});
  primitive(file)["indices"] = file.add("SCALAR", std::vector<std::uint8_t>{0, 1, 2, 1, 0, 3, 0, 4, 5});
  file.push("nodes", {{"mesh", 0}});
  return file;
}

TEST(UnreadGltf, CountsVerticesWhoseFacesDiffer) {
  GltfFile file = fold();
  EXPECT_THAT(notes_of(file), ElementsAre("meshes without normals, which get flat ones; 2 vertices take the average of "
                                          "their faces: 'mesh_0'"));
  attributes(file)["NORMAL"] = file.add(std::vector<glm::vec3>(6, {0, 0, 1}));
  // The third triangle's u rises with y, those of the others with x.
  attributes(file)["TEXCOORD_0"] = file.add("VEC2", std::vector<float>{0, 0, 1, 0, 0, 1, 0, -1, 0, 1, -1, 0});
  file.push("nodes", {{"mesh", 0}});
  EXPECT_THAT(notes_of(file), ElementsAre("meshes without tangents, which get those of MikkTSpace; 2 vertices "
                                          "take the average of their faces: 'mesh_0', 'mesh_0#2'"));
}

TEST(UnreadGltf, NamesTangentsWithoutNormals) {
  GltfFile file = whole_triangle();
  attributes(file)["TANGENT"] = file.add("VEC4", std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1});
  const int offsets = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  primitive(file)["targets"] = {{{"TANGENT", offsets}}};
  EXPECT_THAT(notes_of(file), IsEmpty());
  attributes(file).erase("NORMAL");
  EXPECT_THAT(notes_of(file), ElementsAre(testing::HasSubstr("not read: TANGENT of 'mesh_0'"),
                                          "vertex attributes that are not read: TANGENT of 'mesh_0'",
                                          "meshes without normals, which get flat ones: 'mesh_0'"));
}

TEST(UnreadGltf, NamesMeshesWithPartsWithoutTextureCoordinates) {
  GltfFile file = whole_triangle();
  const json bare = primitive(file);
  attributes(file)["TEXCOORD_0"] = add_uvs(file);
  file.json["meshes"][0]["primitives"].push_back(bare);
  EXPECT_THAT(notes_of(file), Contains("meshes with parts without texture coordinates, which get 0: 'mesh_0'"));
}

// The document may be any JSON: it is described before it is checked.
TEST(UnreadGltf, IsDescribedOfAnyJson) {
  const json values = json::parse(R"([42, -1.5, "x", null, true, [], [1, "x", null], {}, {"a": [1, {"b": 2}]}])");
  EXPECT_THAT(describe_unread(json()), IsEmpty());
  for (const char* place :
       {"/extensionsUsed", "/extensions", "/extensions/KHR_lights_punctual", "/extensions/KHR_lights_punctual/lights",
        "/materials", "/materials/0", "/materials/0/pbrMetallicRoughness", "/materials/0/emissiveFactor",
        "/materials/0/alphaMode", "/cameras", "/asset", "/asset/copyright", "/extras"}) {
    for (const json& value : values) {
      json document;
      document[json::json_pointer(place)] = value;
      EXPECT_LE(describe_unread(document).size(), 2u) << place << value;
    }
  }
  const json long_name = {{"extensionsUsed", {std::string(100'000, 'x')}}};
  EXPECT_LT(describe_unread(long_name).at(0).size(), 200u);
}

}  // namespace
}  // namespace pelt
