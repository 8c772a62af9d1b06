// SPDX-License-Identifier: MIT
// Nodes that show a mesh many times (EXT_mesh_gpu_instancing), and those that hide it (KHR_node_visibility).
#include <gmock/gmock.h>

#include "tests/engine/authoring/model/gltf/imported.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::expect_refused;
using test::GltfFile;
using test::imported;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> finest_names(const Model& model) {
  std::vector<std::string> names;
  for (const Mesh& mesh : model.meshes) names.push_back(mesh.name);
  return names;
}

json& instances(GltfFile& file) { return file.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]; }

// Two instances of the triangle, of which the second is moved, turned by 90 degrees about z and doubled, at a node that
// lies 10 above the origin.
GltfFile two_trees() {
  GltfFile file = GltfFile::triangle();
  file.json["nodes"][0].update({{"name", "tree"}, {"translation", {0, 10, 0}}});
  instances(file) = {{"TRANSLATION", file.add(std::vector<glm::vec3>{{0, 0, 0}, {5, 0, 0}})},
                     {"ROTATION", file.add("VEC4", std::vector<float>{0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f})},
                     {"SCALE", file.add(std::vector<glm::vec3>{{1, 1, 1}, {2, 2, 2}})}};
  file.json["extensionsUsed"] = file.json["extensionsRequired"] = {"EXT_mesh_gpu_instancing"};
  return file;
}

void expect_two_trees(const Model& model) {
  ASSERT_THAT(finest_names(model), ElementsAre("tree_0", "tree_1"));
  expect_near(at_rest(model, model.meshes[0], 1), {1, 10, 0});
  expect_near(at_rest(model, model.meshes[1], 0), {5, 10, 0});
  expect_near(at_rest(model, model.meshes[1], 1), {5, 12, 0}, 1e-3f);
  expect_near(at_rest(model, model.meshes[1], 2), {3, 10, 0}, 1e-3f);
  EXPECT_THAT(model.report.notes, Not(Contains(HasSubstr("not read"))));
}

TEST(ImportInstances, AreMeshesAtPlacesOfTheirOwn) {
  expect_two_trees(imported(two_trees()));
  GltfFile file = two_trees();
  const std::vector<std::int16_t> shorts{0, 0, 0, 32767, 0, 0, 23170, 23170};
  instances(file)["ROTATION"] = file.add("VEC4", shorts, true);
  expect_two_trees(imported(file));
  instances(file)["ROTATION"] = file.add("VEC4", std::vector<std::int8_t>{0, 0, 0, 127, 0, 0, 90, 90}, true);
  expect_two_trees(imported(file));
}

TEST(ImportInstances, StandAtTheNodeIfAnAttributeIsAbsent) {
  GltfFile file = two_trees();
  for (const char* attribute : {"TRANSLATION", "ROTATION", "SCALE"}) instances(file).erase(attribute);
  instances(file)["_ID"] = file.add("SCALAR", std::vector<float>{7, 8});
  const Model model = imported(file);
  ASSERT_THAT(finest_names(model), ElementsAre("tree_0", "tree_1"));
  for (const Mesh& mesh : model.meshes) expect_near(at_rest(model, mesh, 1), {1, 10, 0});
  EXPECT_THAT(model.report.notes, Contains("attributes of instances that are not read: '_ID'"));
}

TEST(ImportInstances, MorphAsTheirNode) {
  GltfFile file = two_trees();
  test::primitive(file)["targets"] = {{{"POSITION", 0}}, {{"POSITION", 0}}};
  file.json["nodes"][0]["weights"] = {0, 0.5};
  file.json["animations"] = {{{"name", "grow"}, {"channels", json::array()}, {"samplers", json::array()}}};
  file.add_channel(test::node_target(0, "weights"), {0, 1}, "SCALAR", std::vector<float>{0, 0, 1, 0});
  const Model model = imported(file);
  ASSERT_EQ(model.meshes.size(), 2u);
  for (const Mesh& mesh : model.meshes) {
    EXPECT_EQ(mesh.morph_targets[1].weight, 0.5f);
    EXPECT_EQ(std::ranges::count(model.clips[0].morph_channels, mesh.name, &MorphChannel::mesh), 2) << mesh.name;
  }
}

TEST(ImportInstances, AreRefusedIfTheyAreNotAsTheExtensionHasThem) {
  const GltfFile file = two_trees();
  const std::string place = "/nodes/0/extensions/EXT_mesh_gpu_instancing";
  test::expect_each_refused(file, {{place + "/attributes", json::object(), "attributes: is empty"},
                                   {place + "/attributes/SCALE", 0, "3 elements, but 'ROTATION' has 2"},
                                   {place + "/attributes/TRANSLATION", 2, "cannot be VEC4 of FLOAT"},
                                   {place + "/attributes/ROTATION", 1, "cannot be VEC3 of FLOAT"},
                                   {place + "/attributes/ROTATION", 99, "but the number of accessors is"},
                                   {place, json::object(), "'attributes' is missing"}});
  GltfFile flat = file;
  instances(flat)["ROTATION"] = flat.add("VEC4", std::vector<float>(8, 0));
  expect_refused(flat, "ROTATION: element 0 has no length");
  GltfFile integers = file;
  instances(integers)["ROTATION"] = integers.add("VEC4", std::vector<std::int8_t>(8, 1));
  expect_refused(integers, "cannot be VEC4 of BYTE");
  GltfFile many = file;
  instances(many) = {
      {"SCALE", many.push("accessors", {{"componentType", 5126}, {"count", 9000000}, {"type", "VEC3"}})}};
  expect_refused(many, "up to 'tree', the model would take more than", ErrorCode::kUnsupported);
}

TEST(ImportInstances, OfASkinNameNodeAndMesh) {
  GltfFile file = GltfFile::skinned_triangle();
  file.json["nodes"][0]["name"] = "crowd";
  file.json["meshes"][0]["name"] = "man";
  instances(file)["SCALE"] = file.add(std::vector<glm::vec3>{{1, 1, 1}, {2, 2, 2}});
  expect_refused(file, "node 'crowd' shows instances of mesh 'man' by a skin", ErrorCode::kUnsupported);
}

// Triangles a (with b below it), c, and d, a level of c.
GltfFile four_triangles() {
  GltfFile file = GltfFile::triangle();
  file.json["nodes"][0].update({{"name", "a"}, {"children", {1}}});
  for (const char* name : {"b", "c", "d"}) file.push("nodes", {{"name", name}, {"mesh", 0}});
  file.json["nodes"][2]["extensions"]["MSFT_lod"]["ids"] = {3};
  file.json["extensionsUsed"] = {"MSFT_lod", "KHR_node_visibility"};
  return file;
}

Model with_visibility(int node, const json& visibility) {
  GltfFile file = four_triangles();
  file.json["nodes"][static_cast<std::size_t>(node)]["extensions"]["KHR_node_visibility"] = visibility;
  return imported(file);
}

TEST(NodeVisibility, HidesANodeAndAllBelowIt) {
  const json invisible{{"visible", false}};
  const Model above = with_visibility(0, invisible);
  EXPECT_THAT(finest_names(above), ElementsAre("c"));
  EXPECT_THAT(above.report.notes, Contains("2 invisible nodes with meshes are left out: 'a', 'b'"));
  EXPECT_THAT(joint_names(above), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(finest_names(with_visibility(1, invisible)), ElementsAre("a", "c"));
  EXPECT_THAT(finest_names(with_visibility(2, invisible)), ElementsAre("a", "b"));
  const Model level = with_visibility(3, invisible);
  EXPECT_THAT(finest_names(level), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(level.levels.empty());
  for (const json& visible : {json{{"visible", true}}, json::object()}) {
    const Model model = with_visibility(0, visible);
    EXPECT_THAT(finest_names(model), ElementsAre("a", "b", "c"));
    EXPECT_THAT(model.report.notes, Not(Contains(HasSubstr("not read"))));
  }
}

TEST(NodeVisibility, OfAClipIsNotedAsNotRead) {
  GltfFile file = four_triangles();
  file.json["extensionsRequired"] = {"KHR_node_visibility"};
  file.json["animations"] = {{{"name", "blink"}, {"channels", json::array()}, {"samplers", json::array()}}};
  const std::string pointer = "/nodes/1/extensions/KHR_node_visibility/visible";
  const json target{{"path", "pointer"}, {"extensions", {{"KHR_animation_pointer", {{"pointer", pointer}}}}}};
  file.add_channel(target, {0, 1}, "SCALAR", std::vector<std::uint8_t>{0, 1}, "STEP");
  EXPECT_THAT(imported(file).report.notes, Contains(AllOf(HasSubstr("'blink'"), HasSubstr(pointer))));
}

}  // namespace
}  // namespace pelt
