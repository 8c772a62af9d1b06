// SPDX-License-Identifier: MIT
// Images of materials' base colours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include <pelt/import.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::GltfFile;
using test::imported;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(GltfImages, DoesNotNeedTextures) {
  GltfFile file = GltfFile::triangle();
  file.json["images"] = {{{"uri", "gone.png"}}, {{"bufferView", 999}}, {{"uri", "data:image/png;base64,????"}}};
  file.json["textures"] = {{{"source", 7}}};
  file.json["materials"] = {{{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", -3}}}}}}};
  EXPECT_TRUE(file.import());
}

// A skinned and animated triangle whose only image is of an extension, which a texture names directly or only by the
// extension.
GltfFile with_compressed_image(const std::string& extension, const std::string& bytes, bool directly) {
  GltfFile file = GltfFile::skinned_triangle();
  file.add_channel(test::node_target(2, "translation"), {0}, "VEC3", std::vector<float>{1, 2, 3});
  file.push("images", {{"bufferView", file.add_view(std::as_bytes(std::span(bytes)))}, {"name", "skin"}});
  json texture = {{"source", 0}};
  if (!directly) texture = {{"extensions", {{extension, texture}}}};
  file.push("textures", texture);
  for (int m = 0; m < 2; ++m) {
    file.push("materials", {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}});
  }
  test::primitive(file)["material"] = 1;
  file.json["extensionsUsed"] = {extension};
  return file;
}

TEST(GltfImages, ReadsAllButTheImagesOfExtensions) {
  const std::string ktx("\xabKTX 20\xbb\r\n\x1a\n", 12);
  for (const auto& [extension, bytes, type] : {std::array<std::string, 3>{"KHR_texture_basisu", ktx, "image/ktx2"},
                                               {"EXT_texture_webp", "RIFF1234WEBP", "image/webp"},
                                               {"EXT_texture_avif", "1234ftypavif", "image/avif"},
                                               {"MSFT_texture_dds", "DDS 1234", "image/vnd-ms.dds"}}) {
    for (const bool directly : {false, true}) {
      for (const bool is_required : {false, true}) {
        SCOPED_TRACE(extension + (directly ? ", directly" : "") + (is_required ? ", required" : ""));
        GltfFile file = with_compressed_image(extension, bytes, directly);
        if (is_required) file.json["extensionsRequired"] = {extension};
        const Model model = imported(file);
        EXPECT_EQ(model.meshes[0].weights.row_count(), 3u);
        EXPECT_EQ(model.bound_joints.size(), 2u);
        EXPECT_EQ(model.clips.size(), 1u);
        EXPECT_TRUE(model.images.empty());
        ASSERT_EQ(model.materials.size(), 2u);
        EXPECT_EQ(model.materials[1].base_color_image, -1);
        EXPECT_THAT(model.report.notes, Contains("images of 2 materials are left out: 'skin' (/images/0) is of " +
                                                 (directly ? type : extension) + ", and only PNG and JPEG are read"));
        EXPECT_THAT(model.report.notes, Contains("extensions that are not read: '" + extension + "'"));
      }
    }
  }
}

// The texture's own source is for programs that do not know the extension.
TEST(GltfImages, ReadsTheImageBesideThatOfAnExtension) {
  GltfFile file = with_compressed_image("KHR_texture_basisu", "any", false);
  file.push("images", {{"uri", "data:image/png;base64,QUJD"}});
  file.json["textures"][0]["source"] = 1;
  const Model model = imported(file);
  ASSERT_EQ(model.images.size(), 1u);
  EXPECT_EQ(model.images[0].bytes.size(), 3u);
  EXPECT_EQ(model.materials.at(1).base_color_image, 0);
}

// Returns a triangle with a material for each of the images, which textures name in order.
GltfFile with_images(const json& images) {
  GltfFile file = GltfFile::triangle();
  file.json["images"] = images;
  for (std::size_t i = 0; i < images.size(); ++i) {
    file.push("textures", {{"source", i}});
    file.push("materials", {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", i}}}}}});
  }
  return file;
}

TEST(GltfImages, KeepsTheImagesOfBaseColors) {
  GltfFile file =
      with_images({{{"uri", "data:image/png;base64,QUJD"}}, {{"name", "of a view"}}, {{"uri", "a%20b.jpg"}}});
  const std::string bytes = "DEFGH";
  file.json["images"][1]["bufferView"] = file.add_view(std::as_bytes(std::span(bytes)));
  file.push("images", {{"uri", "unused.png"}});
  file.push("textures", {{"source", 3}});
  file.push("materials", {{"name", "plain"}, {"alphaMode", "MASK"}});
  file.push("materials", {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}, {"texCoord", 0}}}}}});
  const test::TemporaryFolder folder;
  folder.write("a b.jpg", "IJ");
  const Model model = test::must(import_gltf(folder.write("model.gltf", file.text())));
  EXPECT_THAT(model.report.notes, ElementsAre("meshes without normals, which get flat ones: 'mesh_0'"));
  ASSERT_EQ(model.images.size(), 3u);
  const auto text = [&](std::size_t i) {
    return std::string(model.images[i].bytes.begin(), model.images[i].bytes.end());
  };
  EXPECT_EQ(text(0), "ABC");
  EXPECT_EQ(text(1), "DEFGH");
  EXPECT_EQ(text(2), "IJ");
  EXPECT_EQ(model.images[0].name, "image_0");
  EXPECT_EQ(model.images[1].name, "of a view");
  const std::vector<std::int32_t> expected{0, 1, 2, -1, 0};
  ASSERT_EQ(model.materials.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(model.materials[i].base_color_image, expected[i]);
    EXPECT_EQ(model.materials[i].alpha_mask, i == 3);
  }
}

TEST(GltfImages, NotesImagesThatItCannotRead) {
  const std::vector<std::pair<json, std::string>> defects{
      {{{"uri", "gone.png"}}, "no such file"},
      {{{"bufferView", 999}}, "names bytes that the file does not have"},
      {{{"bufferView", "0"}}, "names bytes that the file does not have"},
      {{{"bufferView", 1}}, "names bytes that the file does not have"},
      {json::object(), "names bytes that the file does not have"},
      {42, "names bytes that the file does not have"},
      {nullptr, "names no image"},
  };
  for (const auto& [image, why] : defects) {
    GltfFile file = with_images(json::array({image, {{"uri", "data:;base64,QUJD"}}}));
    const Model model = imported(file);
    ASSERT_EQ(model.report.notes.size(), 2u) << image;  // the other note is of normals
    EXPECT_THAT(model.report.notes[0], HasSubstr("images of 1 material are left out"));
    EXPECT_THAT(model.report.notes[0], HasSubstr(why));
    EXPECT_EQ(model.materials[0].base_color_image, -1);
    EXPECT_EQ(model.materials[1].base_color_image, 0);
    EXPECT_EQ(model.images.size(), 1u);
  }
  // Images, textures and names of wrong types.
  for (const char* key : {"images", "textures"}) {
    for (const json& value : std::vector<json>{42, "x", nullptr, json::object(), json::array(), {{"0", 1}}}) {
      GltfFile file = with_images(json::array({{{"uri", "data:;base64,QUJD"}}}));
      file.json[key] = value;
      const Model model = imported(file);
      EXPECT_TRUE(model.images.empty());
      EXPECT_EQ(model.report.notes.size(), 2u);
    }
  }
  GltfFile file = with_images(json::array({{{"uri", "data:;base64,QUJD"}}}));
  json& texture = file.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"];
  texture["texCoord"] = 1;
  EXPECT_THAT(imported(file).report.notes[0], HasSubstr("other texture coordinates"));
  for (const json& value : std::vector<json>{42, "x", json::object(), json::array()}) {
    texture = value;
    EXPECT_THAT(imported(file).report.notes[0], HasSubstr("names no image"));
  }
}

}  // namespace
}  // namespace pelt
