// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include <pelt/gltf_pack.h>
#include <pelt/import.h>
#include <pelt/tools/file_io.h>

#include "engine/character/glb/container.h"
#include "tests/support/must.h"
#include "tests/support/program.h"

namespace pelt {
namespace {

using nlohmann::json;

std::string bytes_of(std::initializer_list<float> values) {
  return {reinterpret_cast<const char*>(std::data(values)), values.size() * sizeof(float)};
}

// A triangle in two buffers, with a texture next to the file. One buffer is a file next to it, longer than the buffer's
// byteLength; the other is in the document.
json split_document() {
  return json::parse(R"({"asset": {"version": "2.0"}, "extras": {"kept": [1, 2.5, "x"]},
    "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "name": "triangle"}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
    "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "alphaMode": "BLEND"}],
    "textures": [{"source": 0}], "images": [{"uri": "a%20picture.png"}],
    "buffers": [{"byteLength": 37, "uri": "points.bin"},
                {"byteLength": 24, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAIA/AAAAAAAAAAAAAIA/"}],
    "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36}, {"buffer": 1, "byteLength": 24}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [1,1,0]},
                  {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"}]})");
}

class PackGltf : public testing::Test {
 protected:
  PackGltf() { write("points.bin", bytes_of({0, 0, 0, 1, 0, 0, 0, 1, 0, 7})); }

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(folder / name, std::as_bytes(std::span(text))));
  }

  // Packs a document that stands in the folder, and returns that of the file.
  json packed(const json& document) {
    write("triangle.gltf", document.dump());
    const std::vector<std::byte> bytes = test::must(pack_gltf(folder / "triangle.gltf"));
    return test::must(parse_gltf_json(test::must(open_gltf(bytes, "x")).json, "x"));
  }

  std::string error_of(const json& document) {
    write("triangle.gltf", document.dump());
    const auto packed = pack_gltf(folder / "triangle.gltf");
    return packed ? "packed" : packed.error().message;
  }

  test::TemporaryFolder folder;
};

TEST_F(PackGltf, TakesInWhatStandsBeside) {
  const std::string picture = "\x89PNG\r\n\x1a\n and so on";
  write("a picture.png", picture);
  const json document = packed(split_document());
  const std::vector<std::byte> glb = test::must(pack_gltf(folder / "triangle.gltf"));
  const test::TemporaryFolder elsewhere;
  ASSERT_TRUE(write_file(elsewhere / "triangle.glb", glb));
  const Model before = test::must(import_gltf(folder / "triangle.gltf"));
  const Model after = test::must(import_gltf(elsewhere / "triangle.glb"));
  EXPECT_EQ(after.meshes[0].positions, before.meshes[0].positions);
  EXPECT_EQ(after.meshes[0].uvs, before.meshes[0].uvs);
  EXPECT_EQ(after.meshes[0].uvs[1], glm::vec2(1, 0));
  ASSERT_EQ(after.images.size(), 1u);
  EXPECT_EQ(after.images[0].bytes, before.images.at(0).bytes);
  EXPECT_EQ(after.images[0].bytes.size(), picture.size());

  EXPECT_EQ(document["extras"], split_document()["extras"]);
  EXPECT_EQ(document["materials"], split_document()["materials"]);
  EXPECT_EQ(document["images"], json::parse(R"([{"bufferView": 2, "mimeType": "image/png"}])"));
  EXPECT_EQ(document["buffers"].size(), 1u);

  // A file that names no other file stays as it is.
  EXPECT_TRUE(test::must(pack_gltf(elsewhere / "triangle.glb")) == glb);
}

TEST_F(PackGltf, AnImageThatIsNotThereKeepsItsName) {
  EXPECT_EQ(packed(split_document())["images"], split_document()["images"]);
}

TEST_F(PackGltf, MovesRangesThatExtensionsName) {
  for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    json document = split_document();
    document["bufferViews"][0]["extensions"][name] = {{"buffer", 1},     {"byteOffset", 4.0}, {"byteLength", 20},
                                                      {"byteStride", 4}, {"count", 6},        {"mode", "ATTRIBUTES"}};
    const json view = packed(document)["bufferViews"][0];
    EXPECT_EQ(view["extensions"][name],
              json::parse(R"({"buffer": 0, "byteOffset": 44, "byteLength": 20, "byteStride": 4, "count": 6,
                              "mode": "ATTRIBUTES"})"));
  }
}

TEST_F(PackGltf, RefusesRangesThatAreNone) {
  const json hostile = json::parse(
      R"([-1, 0.5, 25, 1e300, -1e300, 4294967296, 9007199254740992, 9223372036854775808, 18446744073709551615, "4",
          null, {}, []])");
  for (const char* key : {"buffer", "byteOffset", "byteLength"}) {
    for (const json& value : hostile) {
      json document = split_document();
      json& extension = document["bufferViews"][0]["extensions"]["EXT_meshopt_compression"];
      extension = {{"buffer", 1},     {"byteOffset", 0}, {"byteLength", 24},
                   {"byteStride", 4}, {"count", 6},      {"mode", "ATTRIBUTES"}};
      EXPECT_EQ(error_of(document), "packed");
      extension[key] = value;
      EXPECT_THAT(error_of(document),
                  testing::HasSubstr("triangle.gltf: /bufferViews/0/extensions/EXT_meshopt_compression"))
          << key << " " << value;
      document["bufferViews"][0].erase("extensions");
      document["bufferViews"][1][key] = value;
      EXPECT_THAT(error_of(document), testing::HasSubstr("triangle.gltf: /bufferViews/1")) << key << " " << value;
    }
  }
  json document = split_document();
  document["bufferViews"][0]["extensions"]["EXT_meshopt_compression"] = json::object();
  EXPECT_THAT(error_of(document), testing::HasSubstr("EXT_meshopt_compression: 'buffer' is missing"));
  document = split_document();
  document["bufferViews"][0]["byteOffset"] = 2;
  EXPECT_THAT(error_of(document), testing::HasSubstr("/bufferViews/0: is outside the 37 bytes of buffer 0"));
}

// The meaning of an unknown extension is unknown too: it cannot be adapted when a buffer that it names moves.
TEST_F(PackGltf, LeavesUnknownExtensionsAlone) {
  json document = split_document();
  json& extension = document["bufferViews"][0]["extensions"]["X_unknown"];
  extension = {{"byteOffset", 1e300}};
  const json view = packed(document)["bufferViews"][0];
  EXPECT_EQ(view["extensions"]["X_unknown"], extension);

  extension["buffer"] = 0;
  EXPECT_THAT(error_of(document),
              testing::HasSubstr("/bufferViews/0/extensions/X_unknown: an unknown extension that names a buffer"));

  // With only one buffer it stays correct.
  document["buffers"].erase(1);
  document["bufferViews"][1] = {{"buffer", 0}, {"byteLength", 24}};
  EXPECT_EQ(error_of(document), "packed");
}

TEST_F(PackGltf, SaysWhatIsWrong) {
  EXPECT_EQ(pack_gltf(folder / "none.gltf").error().code, ErrorCode::kNotFound);
  write("broken.gltf", "{");
  EXPECT_THAT(pack_gltf(folder / "broken.gltf").error().message, testing::HasSubstr("broken.gltf: no valid JSON"));
  json document = split_document();
  document["buffers"][0]["uri"] = "none.bin";
  EXPECT_THAT(error_of(document), testing::HasSubstr("triangle.gltf: /buffers/0: "));
  document["bufferViews"][0]["buffer"] = 7;
  EXPECT_THAT(error_of(document), testing::HasSubstr("/bufferViews/0/buffer"));
}

}  // namespace
}  // namespace pelt
