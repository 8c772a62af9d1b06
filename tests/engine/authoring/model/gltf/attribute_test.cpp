// SPDX-License-Identifier: MIT

#include "tests/engine/authoring/model/gltf/gltf_file.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::attributes;
using test::GltfFile;
using test::imported;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<float> values_of(const Mesh& mesh, const std::string& name) {
  for (const VertexAttribute& attribute : mesh.attributes) {
    if (attribute.name == name) return attribute.values;
  }
  return {};
}

TEST(ImportAttributes, AreTakenApart) {
  GltfFile file = GltfFile::triangle();
  attributes(file)["_AXIS"] = file.add(std::vector<glm::vec3>{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  attributes(file)["COLOR_0"] =
      file.add("VEC4", std::vector<std::uint8_t>{255, 0, 0, 255, 0, 255, 0, 0, 0, 0, 255, 51}, true);
  attributes(file)["COLOR_1"] = file.add(std::vector<glm::vec3>(3));
  attributes(file)["_MASK"] = file.add("SCALAR", std::vector<std::uint32_t>{0, 70000, 1});
  const Mesh mesh = imported(file).meshes[0];
  EXPECT_EQ(mesh.attributes.size(), 8u);  // COLOR_1 has no meaning here
  EXPECT_THAT(values_of(mesh, "_AXIS.x"), ElementsAre(1, 4, 7));
  EXPECT_THAT(values_of(mesh, "_AXIS.z"), ElementsAre(3, 6, 9));
  EXPECT_THAT(values_of(mesh, "_MASK"), ElementsAre(0, 70000, 1));
  EXPECT_THAT(values_of(mesh, "COLOR_0.r"), ElementsAre(1, 0, 0));
  EXPECT_THAT(values_of(mesh, "COLOR_0.g"), ElementsAre(0, 1, 0));
  EXPECT_THAT(values_of(mesh, "COLOR_0.b"), ElementsAre(0, 0, 1));
  EXPECT_THAT(values_of(mesh, "COLOR_0.a"), ElementsAre(1, 0, 0.2f));
}

TEST(ImportAttributes, AreZeroWhereAPrimitiveLacksThem) {
  GltfFile file = GltfFile::triangle();
  const int other = file.add(std::vector<glm::vec3>{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}});
  const int mask = file.add("SCALAR", std::vector<float>{1, 2, 3});
  file.json["meshes"][0]["primitives"] = {{{"attributes", {{"POSITION", 0}}}},
                                          {{"attributes", {{"POSITION", other}, {"_MASK", mask}}}},
                                          {{"attributes", {{"POSITION", 0}, {"_OTHER", mask}}}}};
  const Mesh mesh = imported(file).meshes[0];
  EXPECT_THAT(values_of(mesh, "_MASK"), ElementsAre(0, 0, 0, 1, 2, 3, 0, 0, 0));
  EXPECT_THAT(values_of(mesh, "_OTHER"), ElementsAre(0, 0, 0, 0, 0, 0, 1, 2, 3));
}

TEST(ImportAttributes, OfMatricesAreLeftOut) {
  GltfFile file = GltfFile::triangle();
  attributes(file)["_FRAME"] = file.add(std::vector<glm::mat4>(3, glm::mat4(1)));
  const Model model = imported(file);
  EXPECT_THAT(model.meshes[0].attributes, IsEmpty());
  EXPECT_THAT(model.report.notes, testing::Contains(HasSubstr("not read: _FRAME of 'mesh_0'")));
}

TEST(ImportAttributes, AreChecked) {
  GltfFile file = GltfFile::triangle();
  const int two = file.add("SCALAR", std::vector<float>{1, 2});
  const std::string at = "/meshes/0/primitives/0/attributes/";
  test::expect_each_refused(file, {{at + "_MASK", two, "_MASK: 2 elements, but POSITION has 3"},
                                   {at + "_MASK", 5, "_MASK: 5, but the number of accessors is 2"}});
}

TEST(ImportAttributes, CannotOutgrowTheFile) {
  // Every primitive has an attribute of its own, and every attribute a value for each vertex of all primitives.
  GltfFile file = GltfFile::triangle();
  constexpr int kCount = 100'000;
  file.json["accessors"][0] = {{"componentType", 5126}, {"count", kCount}, {"type", "VEC3"}};
  const int mask = file.push("accessors", {{"componentType", 5126}, {"count", kCount}, {"type", "SCALAR"}});
  for (int p = 0; p < 40; ++p) {
    file.json["meshes"][0]["primitives"][p] = {{"attributes", {{"POSITION", 0}, {"_MASK" + std::to_string(p), mask}}},
                                               {"mode", 0}};
  }
  EXPECT_EQ(file.import().error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace pelt
