// SPDX-License-Identifier: MIT
#include <limits>
#include <tuple>

#include <pelt/pose.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::attributes;
using test::expect_refused;
using test::GltfFile;
using test::imported;
using test::primitive;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The triangle with two targets: accessors 1 and 2.
GltfFile morphing() {
  GltfFile file = GltfFile::triangle();
  const int first = file.add(std::vector<glm::vec3>{{1, 0, 0}, {0, 0, 0}, {0, 0, 2}});
  const int second = file.add(std::vector<glm::vec3>{{0, 0, 0}, {0, 3, 0}, {0, 0, 0}});
  primitive(file)["targets"] = {{{"POSITION", first}}, {{"POSITION", second}}};
  return file;
}

GltfFile animated_weights(const std::string& interpolation, const std::vector<float>& times,
                          const std::vector<float>& values) {
  GltfFile file = morphing();
  file.add_channel(test::node_target(0, "weights"), times, "SCALAR", values, interpolation);
  return file;
}

TEST(ImportMorphTargets, TakeNamesFromExtras) {
  GltfFile file = morphing();
  const auto names = [&](const json& extras) {
    file.json["meshes"][0]["extras"] = extras;
    const Mesh mesh = imported(file).meshes[0];
    return mesh.morph_targets.size() == 2 ? mesh.morph_targets[0].name + " " + mesh.morph_targets[1].name : "";
  };
  EXPECT_EQ(names({{"targetNames", {"smile", "frown"}}}), "smile frown");
  EXPECT_EQ(names({{"targetNames", {"smile", "smile"}}}), "smile smile#2");
  EXPECT_EQ(names({{"targetNames", {"smile"}}}), "smile target_1");
  EXPECT_EQ(names({{"targetNames", {"", "frown", "more"}}}), "target_0 frown");
  // Extras may hold anything.
  EXPECT_EQ(names({{"targetNames", {1, 2}}}), "target_0 target_1");
  EXPECT_EQ(names({{"targetNames", "smile"}}), "target_0 target_1");
  EXPECT_EQ(names(42), "target_0 target_1");
  EXPECT_EQ(names({{"other", {{"deep", {1}}}}}), "target_0 target_1");
}

TEST(ImportMorphTargets, LineUpOverPrimitives) {
  GltfFile file = morphing();
  // The same positions with other targets are other vertices; with the same targets they are the same.
  json swapped = primitive(file);
  std::swap(swapped["targets"][0], swapped["targets"][1]);
  file.json["meshes"][0]["primitives"] = {primitive(file), swapped, primitive(file)};
  const Mesh mesh = imported(file).meshes[0];
  EXPECT_EQ(mesh.positions.size(), 6u);
  EXPECT_EQ(mesh.triangles.size(), 3u);
  EXPECT_THAT(mesh.morph_targets[0].offsets, ElementsAre(glm::vec3(1, 0, 0), glm::vec3(0), glm::vec3(0, 0, 2),
                                                         glm::vec3(0), glm::vec3(0, 3, 0), glm::vec3(0)));
}

// Without normals those of a target are flat too, whatever the target contains.
TEST(ImportMorphTargets, TurnNormalsThatAreMade) {
  GltfFile file = morphing();
  const int lift = file.add(std::vector<glm::vec3>{{0, 0, 0}, {0, 0, 0}, {0, 0, 1}});
  const int shift = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  primitive(file)["targets"] = {{{"POSITION", lift}, {"NORMAL", shift}}, {{"POSITION", shift}}};
  const Model model = imported(file);
  const std::vector<MorphTarget>& targets = model.meshes[0].morph_targets;
  ASSERT_EQ(targets[0].normals.size(), 3u);
  const glm::vec3 turned = glm::normalize(glm::vec3(0, -1, 1));
  for (const glm::vec3& offset : targets[0].normals) {
    EXPECT_NEAR(glm::distance(offset, turned - glm::vec3(0, 0, 1)), 0, 1e-6f);
  }
  EXPECT_TRUE(targets[1].normals.empty()) << "it turns nothing";
  EXPECT_THAT(model.report.notes, testing::Contains(HasSubstr("not read: NORMAL of 'mesh_0'")));

  attributes(file)["NORMAL"] = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  EXPECT_THAT(imported(file).meshes[0].morph_targets[0].normals, testing::Each(glm::vec3(0, 0, 1)));
}

TEST(ImportMorphTargets, MayBeHundreds) {
  constexpr std::size_t kVertices = 3 * 4000;
  constexpr int kTargets = 400;  // 58 MB of offsets
  GltfFile file;
  std::vector<glm::vec3> positions(kVertices);
  for (std::size_t v = 0; v < kVertices; ++v) positions[v] = {v % 3, v % 2, v};
  const int base = file.add(positions);
  file.add_mesh({{"POSITION", base}});
  file.push("nodes", {{"mesh", 0}});
  const int offsets = file.add(positions);
  for (int t = 0; t < kTargets; ++t) primitive(file)["targets"].push_back({{"POSITION", offsets}});
  const Model model = imported(file);
  ASSERT_EQ(model.meshes[0].morph_targets.size(), static_cast<std::size_t>(kTargets));
  EXPECT_EQ(model.meshes[0].morph_targets.back().offsets.back(), positions.back());
  // Five more nodes that show the mesh exceed the bound on a model's size.
  for (int node = 0; node < 5; ++node) file.push("nodes", {{"mesh", 0}});
  EXPECT_EQ(file.import().error().code, ErrorCode::kUnsupported);
}

TEST(ImportMorphTargets, AreChecked) {
  const std::string at = "/meshes/0/primitives/0/targets";
  const std::vector<test::JsonBreakage> defects{
      {at, json::object(), "targets: is an object, not an array"},
      {at + "/0", 3, "is 3, not an object"},
      {at + "/0/POSITION", 9, "targets/0/POSITION: 9, but the number of accessors is 3"},
      {"/accessors/1/count", 2, "targets/0/POSITION: 2 elements for 3 vertices"},
      {"/accessors/1/type", "SCALAR", "targets/0/POSITION: cannot be SCALAR of FLOAT"},
      {"/accessors/1/componentType", 5122, "targets/0/POSITION: cannot be VEC3 of SHORT"},
      {"/accessors/1/byteOffset", 4, "targets/0/POSITION: 3 elements need 40 bytes"},
      {"/accessors/1/bufferView", 7, "7, but the number of bufferViews is 3"},
      {"/meshes/0/weights", {1}, "/meshes/0/weights: 1 for 2 morph targets"},
      {"/meshes/0/weights", {1, "a"}, "/meshes/0/weights/1: is a string"},
      {"/meshes/0/weights", {1, 1e39}, "does not fit single precision"},
      {"/nodes/0/weights", {1, 2, 3}, "/nodes/0/weights: 3 for 2 morph targets"},
  };
  test::expect_each_refused(morphing(), defects);
  GltfFile file = morphing();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(&file.data[file.json["bufferViews"][1]["byteOffset"]], &nan, sizeof nan);
  expect_refused(file, "targets/0/POSITION: element 0 is not finite");
  const float far = 1e13f;
  std::memcpy(&file.data[file.json["bufferViews"][1]["byteOffset"]], &far, sizeof far);
  expect_refused(file, "morph target 'target_0' moves vertex 0 by more than");
}

// The triangle with normals, tangents, and a target of each.
GltfFile turning() {
  GltfFile file = GltfFile::triangle();
  attributes(file)["NORMAL"] = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  attributes(file)["TANGENT"] = file.add("VEC4", std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1});
  primitive(file)["targets"] = {{{"NORMAL", file.add(std::vector<glm::vec3>(3, {1, 0, 0}))}},
                                {{"TANGENT", file.add(std::vector<glm::vec3>(3, {0, 1, 0}))}}};
  return file;
}

TEST(ImportMorphTargets, TurnDirectionsByThreeFloats) {
  EXPECT_EQ(imported(turning()).meshes[0].morph_targets.at(1).tangents.size(), 3u);
  for (const auto& [place, target] : {std::pair("0/NORMAL", 0), std::pair("1/TANGENT", 1)}) {
    for (const char* type : {"SCALAR", "VEC2", "VEC4"}) {
      GltfFile file = turning();
      const int narrow = file.add(type, std::vector<float>(type == std::string("SCALAR") ? 3 : 3 * (type[3] - '0')));
      primitive(file)["targets"][target].begin().value() = narrow;
      const std::string why = std::string("/targets/") + place + ": cannot be " + type;
      expect_refused(file, why);
      // Accessors that are not read may be invalid.
      attributes(file).erase("NORMAL");
      EXPECT_TRUE(file.import());
    }
    GltfFile file = turning();
    const std::vector<std::int16_t> halves(12, 16384);
    const int quantized = file.add("VEC3", halves, true);
    file.json["accessors"][quantized]["count"] = 3;
    file.json["bufferViews"].back()["byteStride"] = 8;
    primitive(file)["targets"][target].begin().value() = quantized;
    expect_refused(file, "cannot be VEC3 of normalised SHORT");
    file.json["extensionsUsed"] = {"KHR_mesh_quantization"};
    EXPECT_TRUE(file.import());
    file.json["accessors"][quantized]["normalized"] = false;
    expect_refused(file, "cannot be VEC3 of SHORT");
  }
}

TEST(ImportMorphTargets, TurnDirectionsByFiniteNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [target, name, what] : {std::tuple(0, "NORMAL", "normal"), std::tuple(1, "TANGENT", "tangent")}) {
    const auto file_with = [&](float number) {
      GltfFile file = turning();
      primitive(file)["targets"][target][name] = file.add(std::vector<glm::vec3>{{0, 0, 0}, {0, number, 0}, {0, 0, 0}});
      // Flattens the mesh along its normals and tangents.
      file.json["nodes"][0]["scale"] = target == 0 ? json{1, 0.01, 1} : json{0.01, 1, 1};
      return file;
    };
    EXPECT_TRUE(file_with(1e30f).import());
    const std::string note = std::string("mesh 'mesh_0': ") + name + " of morph targets: invalid values taken as 0: 1";
    EXPECT_THAT(imported(file_with(nan)).report.notes, testing::Contains(note));
    expect_refused(file_with(3e38f), "morph target 'target_" + std::to_string(target) + "' moves the " + what +
                                         " of vertex 1 by a value not finite");
  }
}

TEST(ImportMorphChannels, AreChecked) {
  expect_refused(animated_weights("LINEAR", {0, 1}, {0, 1}), "2 keys need 4 values, not 2");
  expect_refused(animated_weights("CUBICSPLINE", {0}, {0, 1}), "1 keys need 6 values, not 2");
  GltfFile file = animated_weights("LINEAR", {0}, {0, 1});
  file.push("nodes", json::object());
  file.json["animations"][0]["channels"][0]["target"]["node"] = 1;
  expect_refused(file, "/animations/0/channels/0/target/node: node 1 has no morph targets");
}

}  // namespace
}  // namespace pelt
