// SPDX-License-Identifier: MIT
// Levels of detail in glTF files: MSFT_lod, and names that end with _LOD and a number.
#include "tests/engine/authoring/model/gltf/imported.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::expect_refused;
using test::GltfFile;
using test::imported;
using testing::ElementsAre;
using testing::HasSubstr;

// A triangle at each node; node 0 is in the scene.
GltfFile triangles(const std::vector<std::string>& names) {
  GltfFile file = GltfFile::triangle();
  file.json["nodes"][0]["name"] = names[0];
  for (std::size_t n = 1; n < names.size(); ++n) file.push("nodes", {{"name", names[n]}, {"mesh", 0}});
  return file;
}

std::vector<std::string> mesh_names(const Model& model) {
  std::vector<std::string> names;
  for (const Mesh& mesh : model.meshes) names.push_back(mesh.name);
  for (const MeshLevel& level : model.levels) {
    names.push_back(level.mesh.name + " " + std::to_string(level.level) + " of " + model.meshes[level.of].name);
  }
  return names;
}

std::vector<std::string> names_of(const std::vector<std::string>& names) {
  return mesh_names(imported(triangles(names)));
}

TEST(ImportLevels, AreToldByNames) {
  EXPECT_THAT(names_of({"body_LOD0", "body_LOD1", "body_LOD2"}),
              ElementsAre("body_LOD0", "body_LOD1 1 of body_LOD0", "body_LOD2 2 of body_LOD0"));
  EXPECT_THAT(names_of({"body_lod2", "head", "body_lod1"}),
              ElementsAre("head", "body_lod1", "body_lod2 1 of body_lod1"));
  EXPECT_THAT(names_of({"body", "body_LOD1", "body_LOD10"}),
              ElementsAre("body", "body_LOD1 1 of body", "body_LOD10 10 of body"));
  EXPECT_THAT(names_of({"a_LOD0", "b_LOD0", "a_LOD1", "b_LOD1"}),
              ElementsAre("a_LOD0", "b_LOD0", "a_LOD1 1 of a_LOD0", "b_LOD1 1 of b_LOD0"));
}

TEST(ImportLevels, HaveNoLines) {
  GltfFile file = triangles({"body", "body_LOD1"});
  auto& primitives = file.json["meshes"][0]["primitives"];
  auto lines = primitives[0];
  lines["mode"] = 1;
  primitives.push_back(lines);
  const Model model = imported(file);
  ASSERT_EQ(model.lines.size(), 1u);
  EXPECT_EQ(model.lines[0].mesh, "body");
}

TEST(ImportLevels, AreNotToldByOtherNames) {
  EXPECT_THAT(names_of({"body_LOD1"}), ElementsAre("body_LOD1"));
  EXPECT_THAT(names_of({"body", "body_LOD"}), ElementsAre("body", "body_LOD"));
  EXPECT_THAT(names_of({"_LOD0", "_LOD1"}), ElementsAre("_LOD0", "_LOD1"));
  EXPECT_THAT(names_of({"body", "bodyLOD1"}), ElementsAre("body", "bodyLOD1"));
  EXPECT_THAT(names_of({"body", "body_LOD64", "body_LOD100"}), ElementsAre("body", "body_LOD64", "body_LOD100"));
  EXPECT_THAT(names_of({"body",
                        "body_LOD\xC3\xA9"
                        "1"}),
              ElementsAre("body",
                          "body_LOD\xC3\xA9"
                          "1"));
}

TEST(ImportLevels, AreToldByMsftLod) {
  GltfFile file = triangles({"near", "middle", "far"});
  file.json["nodes"][0]["extensions"]["MSFT_lod"]["ids"] = {1, 2};
  file.json["extensionsUsed"] = file.json["extensionsRequired"] = {"MSFT_lod"};
  file.json["scenes"] = {{{"nodes", {0}}}};  // the levels are in no scene
  const Model model = imported(file);
  EXPECT_THAT(mesh_names(model), ElementsAre("near", "middle 1 of near", "far 2 of near"));
  EXPECT_THAT(model.report.notes, testing::Contains("2 meshes are levels of detail of others, 1 to 2"));
  EXPECT_THAT(model.report.notes, testing::Not(testing::Contains(HasSubstr("MSFT_lod"))));
}

// Expects every level to be at the finest mesh, at rest and in the clip.
void expect_levels_in_place(const Model& model) {
  ASSERT_FALSE(model.levels.empty());
  for (const MeshLevel& level : model.levels) {
    for (std::size_t v = 0; v < 3; ++v) {
      expect_near(at_rest(model, level.mesh, v), at_rest(model, model.meshes[0], v));
      expect_near(at_time(model, level.mesh, v, 1), at_time(model, model.meshes[0], v, 1));
    }
  }
}

TEST(ImportLevels, WithoutAParentStandWhereTheFinestOneDoes) {
  GltfFile file = triangles({"near", "middle", "far"});
  file.json["nodes"][0]["extensions"]["MSFT_lod"]["ids"] = {1, 2};
  for (auto& node : file.json["nodes"]) node["translation"] = {1, 0, 0};
  const int parent =
      file.push("nodes", {{"children", {0}}, {"rotation", {-0.6, 0, 0, 0.8}}, {"scale", {0.01, 0.01, 0.01}}});
  file.json["scenes"] = {{{"nodes", {parent}}}};
  GltfFile by_parent = file;
  by_parent.add_channel(test::node_target(parent, "rotation"), {0, 1}, "VEC4",
                        std::vector<float>{0, 0, 0, 1, 0, 0, 0.6f, 0.8f});
  expect_levels_in_place(imported(by_parent));
  GltfFile by_node = file;
  by_node.add_channel(test::node_target(0, "translation"), {0, 1}, "VEC3", std::vector<float>{1, 0, 0, 5, 6, 7});
  expect_levels_in_place(imported(by_node));
  GltfFile hidden = by_parent;
  hidden.json["nodes"][3]["scale"] = {0, 0, 0};
  hidden.add_channel(test::node_target(parent, "scale"), {0, 1}, "VEC3", std::vector<float>{0, 0, 0, 1, 1, 1});
  expect_levels_in_place(imported(hidden));

  // A level with another transform keeps it, relative to the parent.
  by_parent.json["nodes"][2]["translation"] = {2, 0, 0};
  const Model apart = imported(by_parent);
  expect_near(at_rest(apart, apart.levels[1].mesh, 0), {0.02f, 0, 0});
  // So does one in the scene, relative to the scene.
  file.json["scenes"][0]["nodes"].push_back(2);
  const Model shown = imported(file);
  expect_near(at_rest(shown, shown.levels[1].mesh, 0), {1, 0, 0});
}

TEST(ImportLevels, AreNotBelowThemselves) {
  GltfFile file = triangles({"near", "far"});
  file.json["nodes"][0]["extensions"]["MSFT_lod"]["ids"] = {1};
  file.json["nodes"][1]["children"] = {2};
  file.push("nodes", {{"children", {0}}});
  file.json["scenes"] = {{{"nodes", json::array()}}};
  EXPECT_FALSE(file.import());  // nothing is shown
  file.json.erase("scenes");
  EXPECT_EQ(imported(file).skeleton.joints.size(), 3u);
}

TEST(ImportLevels, AreNotTheSizeOfAModel) {
  GltfFile file = triangles({"near", "far"});
  file.json["nodes"][0]["mesh"] = file.add_mesh({{"POSITION", file.add(std::vector<glm::vec3>(3, {1, 2, 3}))}});
  EXPECT_EQ(imported(file).meshes.size(), 2u);
  file.json["nodes"][0]["extensions"]["MSFT_lod"]["ids"] = {1};
  expect_refused(file, "all vertices are at one point");
}

TEST(ImportLevels, OfGroupsAndMaterialsAreNamedAsNotRead) {
  GltfFile file = triangles({"near", "far"});
  file.push("nodes", {{"name", "group"}, {"children", {0}}, {"extensions", {{"MSFT_lod", {{"ids", {3}}}}}}});
  file.push("nodes", {{"name", "coarse"}, {"children", {1}}});
  file.json["scenes"] = {{{"nodes", {2, 3}}}};
  file.push("materials", {{"extensions", {{"MSFT_lod", {{"ids", {0}}}}}}});
  const Model model = imported(file);
  EXPECT_THAT(mesh_names(model), ElementsAre("near"));
  EXPECT_THAT(model.report.notes, testing::Contains(HasSubstr("1 levels of detail are left out")));
  EXPECT_THAT(model.report.notes, testing::Contains(HasSubstr("levels of detail of 1 material")));
}

TEST(ImportLevels, HaveNoClipsOfTheirOwn) {
  GltfFile file = triangles({"body", "body_LOD1"});
  const int target = file.add(std::vector<glm::vec3>{{1, 0, 0}, {0, 0, 0}, {0, 0, 2}});
  test::primitive(file)["targets"] = {{{"POSITION", target}}};
  for (const int node : {0, 1}) file.add_channel(test::node_target(node, "weights"), {0, 1}, "SCALAR", {0.0f, 1.0f});
  const Model model = imported(file);
  ASSERT_EQ(model.clips.size(), 1u);
  ASSERT_EQ(model.clips[0].morph_channels.size(), 1u);
  EXPECT_EQ(model.clips[0].morph_channels[0].mesh, "body");
  EXPECT_EQ(model.levels[0].mesh.morph_targets.size(), 1u);
}

TEST(ImportLevels, RefuseIdsThatAreNone) {
  GltfFile file = triangles({"near", "far", "farther"});
  file.json["nodes"][1]["extensions"]["MSFT_lod"]["ids"] = {0};
  const std::string at = "/nodes/1/extensions/MSFT_lod";
  std::vector<test::JsonBreakage> defects{{at + "/ids", {1}, at + "/ids/0: names node 1 again"},
                                          {at + "/ids", {0, 0}, at + "/ids/1: names node 0 again"},
                                          {at + "/ids", std::vector<int>(64, 0), at + "/ids: has 64 levels"},
                                          {at + "/ids", "all", at + "/ids: "},
                                          {at, json::array(), at + ": "},
                                          {at, json::object(), at}};
  for (const json& id : {json(3), json(-1), json(0.5), json("far"), json(1e300)}) {
    defects.push_back({at + "/ids/0", id, at + "/ids/0: "});
  }
  test::expect_each_refused(file, defects);
}

}  // namespace
}  // namespace pelt
