// SPDX-License-Identifier: MIT
// Tests files as a whole: what a model needs, containers, buffers and defects.
// Random files (random/) test the meaning of valid ones.
#include <gmock/gmock.h>

#include <pelt/gltf_export.h>
#include <pelt/import.h>

#include "tests/engine/authoring/model/gltf/imported.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using nlohmann::json;
using test::expect_refused;
using test::GltfFile;
using test::imported;

TEST(ImportGltf, NeedsAMeshThatANodeShows) {
  expect_refused({}, "has no mesh");
  GltfFile file = GltfFile::triangle();
  file.json["nodes"] = {{{"name", "empty"}}};
  expect_refused(file, "has no mesh");
  file.json.erase("nodes");
  expect_refused(file, "has no mesh");
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

TEST(ImportGltf, ReadsGlb) {
  const test::TemporaryFolder folder;
  const std::string glb = GltfFile::skinned_triangle().glb();
  const Model model = test::must(import_gltf(folder.write("model.glb", glb)));
  EXPECT_EQ(model.bound_joints.size(), 2u);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{3}, std::size_t{11}, std::size_t{19}, glb.size() / 2, glb.size() - 1}) {
    EXPECT_TRUE(test::refused(import_gltf(folder.write("cut.glb", std::string_view(glb).substr(0, length))), "cut.glb"))
        << length;
  }
  std::string version = glb;
  version[4] = 1;
  EXPECT_THAT(import_gltf(folder.write("v1.glb", version)).error().message, HasSubstr("GLB version 1 is not 2"));
}

TEST(ImportGltf, ReadsBytesAsItReadsTheFile) {
  const test::TemporaryFolder folder;
  GltfFile file = GltfFile::skinned_triangle();
  const std::string glb = file.glb();
  folder.write("a.bin", file.data);
  file.json["buffers"] = {{{"byteLength", file.data.size()}, {"uri", "a.bin"}}};
  file.json["images"] = {{{"uri", "a.png"}}};
  file.json["textures"] = {{{"source", 0}}};
  file.json["materials"] = {{{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}}};
  const std::string text = file.json.dump();
  for (const auto& [name, contents] : {std::pair("model.glb", glb), std::pair("model.gltf", text)}) {
    const std::filesystem::path path = folder.write(name, contents);
    std::vector<std::filesystem::path> beside;
    std::vector<std::filesystem::path> beside_bytes;
    const Model of_file = test::must(import_gltf(path, &beside));
    std::filesystem::remove(path);
    const Model of_bytes =
        test::must(import_gltf(std::as_bytes(std::span(contents)), path, &beside_bytes, NamedFiles::kFolder));
    EXPECT_EQ(of_bytes.name, name);
    EXPECT_EQ(test::must(format_glb(of_bytes)), test::must(format_glb(of_file)));
    EXPECT_EQ(of_bytes.report.notes, of_file.report.notes);
    EXPECT_EQ(beside_bytes, beside);
  }
  // By default bytes name no file.
  test::must(import_gltf(std::as_bytes(std::span(glb)), "model.glb"));
  EXPECT_TRUE(test::refused(import_gltf(std::as_bytes(std::span(text)), folder / "model.gltf"), ErrorCode::kInvalidFile,
                            "model.gltf: /buffers/0: the URI 'a.bin' is not read"));
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
    test::must(import_with(uri));
  }
  for (const char* uri :
       {"../secret.bin", "deep/../../secret.bin", "%2E%2E/secret.bin", "..\\secret.bin", "/etc/passwd"}) {
    EXPECT_TRUE(test::refused(import_with(uri), "leaves the folder")) << uri;
  }
  // Symbolic links are followed within the folder, and out of it only with leave.
  std::filesystem::create_symlink("a b.bin", folder / "sub/near.bin");
  std::filesystem::create_symlink("../secret.bin", folder / "sub/far.bin");
  std::filesystem::create_directory_symlink(folder.path(), folder / "sub/up");
  std::filesystem::create_directory_symlink(folder / "sub", folder / "linked");
  test::must(import_with("near.bin"));
  test::must(import_gltf(folder / "linked/model.gltf"));
  for (const char* uri : {"far.bin", "up/secret.bin"}) {
    const auto model = import_with(uri);
    EXPECT_TRUE(test::refused(model, "leads out of the folder by a symbolic link")) << uri;
    test::must(import_gltf(folder / "sub/model.gltf", nullptr, NamedFiles::kAnywhere));
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
  file.json["extensionsUsed"] = {"KHR_draco_mesh_compression"};
  EXPECT_TRUE(file.import());
  for (const char* name : {"KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif", "KHR_texture_transform",
                           "KHR_lights_punctual", "EXT_lights_image_based", "KHR_materials_unlit", "KHR_xmp_json_ld"}) {
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = {name};
    EXPECT_TRUE(file.import()) << name;
  }
  const std::string decode =
      "; to decode it, run 'npx @gltf-transform/cli cp IN.glb OUT.glb', or export the model again without Draco "
      "compression";
  for (const std::string name :
       {"", "_", "texture_basisu", "KHR_texture", "KHR_meshopt_compression", "KHR_draco_mesh_compression"}) {
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = {name};
    const bool is_draco = name == "KHR_draco_mesh_compression";
    expect_refused(file, "'" + name + "' is an extension that is not supported" + (is_draco ? decode : ""),
                   ErrorCode::kUnsupported);
  }
}

TEST(ImportGltf, NamesTheDefectAndItsPlace) {
  const std::vector<test::JsonBreakage> defects{
      {"/asset/version", "1.0", "is not glTF 2.0", ErrorCode::kUnsupported},
      {"/asset/minVersion", "2.1", "is not glTF 2.0", ErrorCode::kUnsupported},
      {"/asset", json::array(), "/asset: is an array, not an object"},
      {"/scene", 0, "/scene: 0, but the number of scenes is 0"},
      {"/nodes/0/mesh", 1, "/nodes/0/mesh: 1, but the number of meshes is 1"},
      {"/nodes/0/skin", -1, "/nodes/0/skin: -1 is not between"},
      {"/nodes/1/children", {2, 2}, "node 2 already is a child of node 1"},
      {"/nodes/2/children", {2}, "node 2 already is a child of node 1"},
      {"/nodes/1/children", {1}, "is part of a cycle"},
      {"/nodes/1/rotation", {0, 0, 0, 0}, "/nodes/1/rotation: has no length"},
      {"/nodes/1/scale", {1, 1}, "/nodes/1/scale: has 2 entries, not 3"},
      {"/nodes/1/scale", {1e39, 1, 1}, "does not fit single precision"},
      {"/nodes/1/extensions", 42, "/nodes/1/extensions: is 42, not an object"},
      {"/meshes/0/primitives", json::array(), "has no mesh with positions"},
      {"/meshes/0/primitives/0/mode", 7, "7 is not between 0 and 6"},
      {"/meshes/0/primitives/0/attributes/POSITION", 9, "9, but the number of accessors is 4"},
      {"/meshes/0/primitives/0/attributes/POSITION", 2, "POSITION: cannot be VEC4 of FLOAT"},
      {"/meshes/0/primitives/0/attributes/NORMAL", 3, "2 elements, but POSITION has 3"},
      {"/meshes/0/primitives/0/indices", 0, "indices: cannot be VEC3 of FLOAT"},
      {"/skins/0/joints", json::array(), "skin 'skin_0': /skins/0/joints: is empty"},
      {"/skins/0/joints", {1, 1}, "names node 1 twice"},
      {"/skins/0/joints/1", 4294967295u, "/skins/0/joints/1: 4294967295 is not between"},
      {"/skins/0/inverseBindMatrices", 0, "cannot be VEC3 of FLOAT"},
      {"/meshes/0/primitives/0/attributes/JOINTS_1", 1, "JOINTS_1: has no counterpart"},
      {"/accessors/3/count", 1, "1 matrices for 2 joints"},
      {"/accessors/3/count", 3, "3 elements need 192 bytes, but buffer view 3 has 128"},
      {"/accessors/0/count", 0, "JOINTS_0: 3 elements, but POSITION has 0"},
      {"/accessors/0/count", "3", "is a string, not an integer"},
      {"/accessors/0/count", 2.5, "2.5, not an integer"},
      {"/accessors/0/byteOffset", 1, "need 37 bytes"},
      {"/accessors/1/componentType", 5124, "JOINTS_0: cannot be VEC4 of an unknown component type"},
      {"/accessors/0/type", "VEC5", "'VEC5' is not one of SCALAR"},
      {"/bufferViews/0/byteOffset", 18446744073709551600u, "18446744073709551600 is not between"},
      {"/bufferViews/0/byteOffset", 2147483647, "ends at byte 2147483683 of buffer 0"},
      {"/bufferViews/0/byteOffset", 2, "elements are not aligned to 4 bytes"},
      {"/bufferViews/0/byteStride", 6, "elements of 12 bytes overlap at a stride of 6"},
      {"/bufferViews/0/byteStride", 8, "elements of 12 bytes overlap"},
      {"/bufferViews/0/buffer", 1, "1, but the number of buffers is 1"},
  };
  test::expect_each_refused(GltfFile::skinned_triangle(), defects);
}

TEST(ImportGltf, BoundsWhatAFileMayBecome) {
  // Few bytes that would become many vertices: as one accessor, and as many nodes that show one mesh.
  GltfFile zeros = GltfFile::triangle();
  zeros.json["accessors"][0].erase("bufferView");
  for (const int count : {40'000'000, 2'000'000'000}) {
    zeros.json["accessors"][0]["count"] = count;
    EXPECT_EQ(zeros.import().error().code, ErrorCode::kUnsupported);
  }
  std::string text = GltfFile::triangle().text();
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
