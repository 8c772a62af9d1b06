// SPDX-License-Identifier: MIT
// Imports hostile files, each in a process of its own under sanitizers, with bounds on its time and memory.
#include <gtest/gtest.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "tests/engine/authoring/model/gltf/gltf_file.h"
#include "tests/engine/authoring/model/gltf/vrm_file.h"
#include "tests/engine/authoring/model/run_import_check.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using test::CheckOutcome;
using test::run_check;

struct Case {
  std::string file;
  char expected;  // R: must be refused; L: may be read
};

std::vector<Case> read_manifest(const std::filesystem::path& folder) {
  std::vector<Case> cases;
  std::ifstream stream(folder / "MANIFEST.md");
  for (std::string line; std::getline(stream, line);) {
    // | file | class | ...
    const std::size_t end = line.find(" | ", 2);
    if (!line.starts_with("| ") || end == std::string::npos || end + 4 >= line.size()) continue;
    const char expected = line[end + 3];
    if ((expected == 'R' || expected == 'L') && line[end + 4] == ' ')
      cases.push_back({line.substr(2, end - 2), expected});
  }
  return cases;
}

// Listed as unusable, and read all the same. The first lacks a binary chunk; but its only buffer is a data URI, which
// glTF 2.0 allows in a .glb, and then there is no chunk (section 4.4.3); the Khronos validator finds no error in it.
// The second needs EXT_meshopt_compression.
constexpr std::array<std::string_view, 2> kUsableAfterAll{"glTF-SDK/CubeNoBuffer.glb",
                                                          "gltf-transform/BoxMeshopt/BoxMeshopt.gltf"};

TEST(MalformedFiles, AreRefusedWithAReasonOrReadSafely) {
  PELT_REQUIRE_SHARED();
  const std::filesystem::path folder = *test::shared_folder() / "assets" / "malformed";
  const std::vector<Case> cases = read_manifest(folder);
  EXPECT_EQ(cases.size(), test::shared_files("assets/malformed", {".gltf", ".glb"}).size());
  for (const Case& c : cases) {
    const CheckOutcome outcome = run_check("", folder / c.file, 5);
    const bool refused = outcome.status == 2;
    const bool sound = outcome.status == 0;
    if (std::ranges::find(kUsableAfterAll, c.file) != kUsableAfterAll.end()) {
      EXPECT_TRUE(sound) << c.file << ": " << outcome.output;
    } else if (c.expected == 'R') {
      EXPECT_TRUE(refused) << c.file << ": exit status " << outcome.status << ": " << outcome.output;
    } else {
      EXPECT_TRUE(refused || sound) << c.file << ": exit status " << outcome.status << ": " << outcome.output;
    }
  }
}

// Morph targets and their clips, pointers, attributes, points.
test::GltfFile morphing_file() {
  using nlohmann::json;
  test::GltfFile file = test::GltfFile::triangle();
  const int offsets = file.add(std::vector<glm::vec3>(3, glm::vec3(0, 0, 1)));
  const int mask = file.add("SCALAR", std::vector<float>{0, 1, 0.5f});
  const json targets = {{{"POSITION", offsets}}, {{"NORMAL", offsets}}};
  json& mesh = file.json["meshes"][0];
  mesh = {{"weights", {0, 1}}, {"extras", {{"targetNames", {"smile", "frown"}}}}};
  mesh["primitives"] = {{{"attributes", {{"POSITION", 0}, {"_MASK", mask}}}, {"targets", targets}},
                        {{"attributes", {{"POSITION", 0}, {"_OTHER", mask}}}, {"targets", targets}, {"mode", 0}}};
  const auto pointer_to = [](const char* pointer) {
    return json{{"path", "pointer"}, {"extensions", {{"KHR_animation_pointer", {{"pointer", pointer}}}}}};
  };
  const std::vector<float> weights{0, 1, 1, 0};
  file.add_channel(test::node_target(0, "weights"), {0, 1}, "SCALAR", weights);
  file.push("animations", std::exchange(file.json["animations"][0], json::object()));
  file.add_channel(pointer_to("/meshes/0/weights"), {0, 1}, "SCALAR", weights);
  file.add_channel(pointer_to("/nodes/0/weights/1"), {0, 1}, "SCALAR", std::vector<float>{0, 1});
  EXPECT_EQ(test::imported(file).clips.size(), 2u);
  return file;
}

// Levels of detail, a texture of an extension, and normals, from which tangents are made.
test::GltfFile levels_file() {
  test::GltfFile file = test::GltfFile::triangle();
  const int normals = file.add(std::vector<glm::vec3>(3, glm::vec3(0, 0, 1)));
  nlohmann::json& primitive = test::primitive(file);
  primitive["attributes"]["NORMAL"] = normals;
  primitive["attributes"]["TEXCOORD_0"] = file.add("VEC2", std::vector<float>{0, 0, 1, 0, 0, 1});
  primitive["targets"] = {{{"POSITION", normals}}};
  primitive["material"] = 0;
  file.push("materials", {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}});
  file.push("textures", {{"extensions", {{"KHR_texture_basisu", {{"source", 0}}}}}});
  file.push("images", {{"uri", "skin.ktx2"}, {"mimeType", "image/ktx2"}});
  file.json["nodes"][0]["name"] = "body";
  for (const char* name : {"near", "body_LOD2", "far"}) file.push("nodes", {{"name", name}, {"mesh", 0}});
  file.json["nodes"][1]["extensions"]["MSFT_lod"]["ids"] = {3};
  file.json["scenes"] = {{{"nodes", {0, 1, 2}}}};
  file.json["extensionsUsed"] = {"MSFT_lod", "KHR_texture_basisu"};
  EXPECT_EQ(test::imported(file).levels.size(), 2u);
  EXPECT_EQ(test::imported(file).meshes[0].tangents.size(), 3u);
  return file;
}

test::GltfFile compressed_file() {
  test::GltfFile file = test::GltfFile::triangle();
  constexpr std::size_t kBytes = 9 * sizeof(float);
  std::string bytes(meshopt_encodeVertexBufferBound(3, 12), '\0');
  bytes.resize(meshopt_encodeVertexBuffer(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                                          file.data.data(), 3, 12));
  file.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"] = {
      {"buffer", 0},          {"byteOffset", kBytes}, {"byteLength", bytes.size()}, {"byteStride", 12}, {"count", 3},
      {"mode", "ATTRIBUTES"}, {"filter", "NONE"}};
  file.data.resize(kBytes);
  file.data += bytes;
  EXPECT_TRUE(file.import());
  return file;
}

TEST(MutatedFiles, AreRefusedWithAReasonOrReadSafely) {
  const test::TemporaryFolder folder;
  const auto check = [&](const char* what, const test::GltfFile& file) {
    const CheckOutcome outcome = run_check("--mutate", folder.write("mutated.gltf", file.text()), 120);
    EXPECT_EQ(outcome.status, 0) << what << ": " << outcome.output;
  };
  test::GltfFile skin = test::GltfFile::skinned_triangle();
  skin.add_channel(test::node_target(2, "rotation"), {0, 1}, "VEC4", std::vector<float>{0, 0, 0, 1, 1, 0, 0, 0});
  check("a skin", skin);
  check("morph targets", morphing_file());
  check("levels", levels_file());
  check("VRM 0.x", test::vrm_file(true));
  check("VRM 1.0", test::vrm_file(false));
  check("a compressed view", compressed_file());
}

// All triangles of these share two vertices.
test::GltfFile pages(std::uint32_t triangles) {
  test::GltfFile file;
  std::vector<glm::vec3> positions;
  std::vector<float> uvs;
  std::vector<std::uint32_t> indices;
  for (std::uint32_t v = 0; v < triangles + 2; ++v) {
    const auto x = static_cast<float>(v);
    positions.emplace_back(x, x * x, 1);
    uvs.insert(uvs.end(), {x, -x * x});
    if (v >= 2) indices.insert(indices.end(), {0, 1, v});
  }
  const int base = file.add(positions);
  file.add_mesh({{"POSITION", base}, {"TEXCOORD_0", file.add("VEC2", uvs)}});
  test::primitive(file)["indices"] = file.add("SCALAR", indices);
  file.push("nodes", {{"mesh", 0}});
  return file;
}

TEST(HostileFiles, OfManyTrianglesAtAVertexAreReadInTime) {
  const test::TemporaryFolder folder;
  const CheckOutcome outcome = run_check("", folder.write("pages.glb", pages(200'000).glb()), 20);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

// Three vertices of a million triangles, and targets whose normals would be made of all of them.
TEST(HostileFiles, OfManyTargetsOfMuchReusedVerticesAreRefusedInTime) {
  test::GltfFile file = test::GltfFile::triangle();
  std::vector<std::uint32_t> indices;
  for (int t = 0; t < 1'000'000; ++t) indices.insert(indices.end(), {0, 1, 2});
  test::primitive(file)["indices"] = file.add("SCALAR", indices);
  const int offsets = file.add(std::vector<glm::vec3>{{0, 0, 0}, {0, 0, 1}, {0, 0, 0}});
  test::primitive(file)["targets"] = std::vector<nlohmann::json>(5000, {{"POSITION", offsets}});
  const test::TemporaryFolder folder;
  const CheckOutcome outcome = run_check("", folder.write("targets.glb", file.glb()), 20);
  EXPECT_EQ(outcome.status, 2) << outcome.output;
}

// A mesh at many nodes, and an expression that names it many times: a target that is there, and one that is not.
TEST(HostileFiles, OfManyBindsOfAMeshAtManyNodesAreReadOrRefusedInTime) {
  test::GltfFile file = test::vrm_file(true);
  nlohmann::json& group = file.json["extensions"]["VRM"]["blendShapeMaster"]["blendShapeGroups"][0];
  nlohmann::json bind = group["binds"][0];
  for (int n = 0; n < 5000; ++n) file.push("nodes", {{"mesh", 0}});
  const test::TemporaryFolder folder;
  group["binds"] = std::vector<nlohmann::json>(20'000, bind);
  const CheckOutcome there = run_check("", folder.write("there.vrm", file.glb()), 20);
  EXPECT_EQ(there.status, 2) << there.output;
  EXPECT_NE(there.output.find("the model would take more than"), std::string::npos) << there.output;
  bind["index"] = 9;
  group["binds"] = std::vector<nlohmann::json>(200'000, bind);
  const CheckOutcome not_there = run_check("", folder.write("gone.vrm", file.glb()), 20);
  EXPECT_EQ(not_there.status, 0) << not_there.output;
}

}  // namespace
}  // namespace pelt
