// SPDX-License-Identifier: MIT
// Tests the textures of models.
#include "samples/renderer/textures.h"

#include "tests/engine/authoring/model/gltf/gltf_file.h"
#include "tests/samples/renderer/renderers.h"

namespace pelt::samples {
namespace {

using testing::HasSubstr;

using test::GltfFile;
using test::gpu_device;

// Makes a square in z = 0 from (-1, -1) to (1, 1) with the image `uri`, seen from the front.
GltfFile textured_square(const std::string& uri) {
  GltfFile file;
  file.add(std::vector<glm::vec3>{{-1, 1, 0}, {1, 1, 0}, {1, -1, 0}, {-1, -1, 0}});
  file.add("VEC2", std::vector<float>{0, 0, 1, 0, 1, 1, 0, 1});
  file.add("SCALAR", std::vector<std::uint8_t>{0, 2, 1, 0, 3, 2});
  file.add_mesh({{"POSITION", 0}, {"TEXCOORD_0", 1}}, {{"indices", 2}, {"material", 0}});
  file.push("nodes", {{"mesh", 0}});
  file.push("images", {{"uri", uri}});
  file.push("textures", {{"source", 0}});
  file.push("materials", {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}});
  return file;
}

// 2 x 2 pixels: red and green over blue and yellow; yellow is transparent.
const std::string kFourColors =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAG0lEQVR42mN4JiLyX+SEyH8GEZFn/"
    "589E2EAAEbpB+qk9bEaAAAAAElFTkSuQmCC";

class Textures : public Renderers {
 protected:
  // Shows the file's model, with textures.
  void show_file(const GltfFile& file) {
    const Model model = test::must(file.import());
    ASSERT_THAT(model.report.notes, testing::Each(testing::Not(HasSubstr("images of"))));
    show(test::bound_by(model, "linear-blend"));
    textures_ = test::must(make_textures(*gpu_device(), model, notes_));
    scene_.items[0].textures = textures_.get();
    scene_.camera = {.eye = {0, 0, 5}, .target = {0, 0, 0}};
  }

  glm::ivec3 color_at(const Image& image, glm::vec2 at) const {
    return pixel(image, project(scene_.camera, image.width, image.height, glm::vec3(at, 0)));
  }

  std::vector<std::string> notes_;
  std::shared_ptr<MaterialTextures> textures_;
};

TEST_F(Textures, ShowTheirColorsWhereTheModelHasThem) {
  show_file(textured_square(kFourColors));
  EXPECT_TRUE(notes_.empty());
  const Image image = render();
  const glm::ivec3 red = color_at(image, {-0.5f, 0.5f});
  const glm::ivec3 green = color_at(image, {0.5f, 0.5f});
  const glm::ivec3 blue = color_at(image, {-0.5f, -0.5f});
  const glm::ivec3 yellow = color_at(image, {0.5f, -0.5f});
  EXPECT_GT(red.r, 2 * std::max(red.g, red.b));
  EXPECT_GT(green.g, 2 * std::max(green.r, green.b));
  EXPECT_GT(blue.b, 2 * std::max(blue.r, blue.g));
  EXPECT_GT(std::min(yellow.r, yellow.g), 2 * yellow.b);

  // The texture is multiplied with the colour, and absent when weights are drawn.
  scene_.items[0].color = glm::vec4(0.1f, 1, 1, 1);
  EXPECT_LT(color_at(render(), {-0.5f, 0.5f}).r, red.r / 2);
  scene_.items[0].color.reset();
  const std::vector<float> weights(4, 0.0f);
  scene_.items[0].weights = weights;
  const Image heat = render();
  scene_.items[0].textures = nullptr;
  EXPECT_EQ(heat.pixels, render().pixels);
  // Without its image a white part is clay.
  scene_.items[0].weights = {};
  const glm::ivec3 clay = color_at(render(), {0.5f, 0.5f});
  EXPECT_GT(clay.r, clay.g);
}

// A red left and a blue right, as floats and as bytes.
TEST_F(Textures, AreMultipliedWithTheColorsOfVertices) {
  const auto show_colors = [&](int accessor) {
    GltfFile file = textured_square(kFourColors);
    file.add("VEC3", std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0});
    file.add("VEC4", std::vector<std::uint8_t>{255, 0, 0, 255, 0, 0, 255, 255, 0, 0, 255, 255, 255, 0, 0, 255}, true);
    file.json["meshes"][0]["primitives"][0]["attributes"] = {{"POSITION", 0}, {"COLOR_0", accessor}};
    file.json["materials"][0] = {{"name", "plain"}};
    show_file(file);
    return render();
  };
  const Image floats = show_colors(3);
  const glm::ivec3 left = color_at(floats, {-0.8f, 0});
  const glm::ivec3 right = color_at(floats, {0.8f, 0});
  EXPECT_GT(left.r, 2 * std::max(left.g, left.b));
  EXPECT_GT(right.b, 2 * std::max(right.r, right.g));
  EXPECT_EQ(floats.pixels, show_colors(4).pixels);
  const std::vector<float> weights(4, 0.0f);
  scene_.items[0].weights = weights;
  EXPECT_GT(color_at(render(), {-0.8f, 0}).b, color_at(render(), {-0.8f, 0}).r) << "the ramp's colour";
}

TEST_F(Textures, LeaveHolesWhereAMaskSaysSo) {
  GltfFile file = textured_square(kFourColors);
  show_file(file);
  const Image opaque = render();
  file.json["materials"][0]["alphaMode"] = "MASK";
  show_file(file);
  const Image masked = render();
  EXPECT_EQ(color_at(masked, {-0.5f, 0.5f}), color_at(opaque, {-0.5f, 0.5f}));
  EXPECT_EQ(color_at(masked, {0.5f, -0.5f}), color_at(backdrop(), {0.5f, -0.5f}));
  EXPECT_NE(color_at(opaque, {0.5f, -0.5f}), color_at(masked, {0.5f, -0.5f}));
}

TEST_F(Textures, OfImagesThatAreBrokenAreLeftOutWithANote) {
  const std::string half = kFourColors.substr(0, kFourColors.size() - 60) + "AAAA";
  for (const std::string& uri : {std::string("data:image/png;base64,AAAAAAAA"), half}) {
    notes_.clear();
    show_file(textured_square(uri));
    ASSERT_EQ(notes_.size(), 1u) << uri;
    EXPECT_THAT(notes_[0], HasSubstr("the image 'image_0' is left out"));
    const glm::ivec3 clay = color_at(render(), {0.5f, 0.5f});
    EXPECT_GT(clay.r, clay.g);
  }
}

// A material names an image that the model lacks, as in models of characters, which have no images.
TEST_F(Textures, AreNoneWhereTheModelHasNoImages) {
  Model model;
  model.materials.push_back({.name = "skin", .base_color_image = 3});
  const auto textures = test::must(make_textures(*gpu_device(), model, notes_));
  EXPECT_TRUE(textures->images.empty());
  ASSERT_EQ(textures->materials.size(), 1u);
  EXPECT_EQ(textures->materials[0].image, -1);
}

TEST_F(Textures, HaveMipMaps) {
  // Every second pixel is white: from afar the picture is grey.
  Image image{.width = 256, .height = 256, .pixels = {}};
  for (std::uint32_t i = 0; i < 256 * 256; ++i) {
    const std::uint8_t value = (i + i / 256) % 2 == 0 ? 255 : 0;
    image.pixels.insert(image.pixels.end(), {value, value, value, 255});
  }
  show_file(textured_square(kFourColors));
  textures_->images[0] = test::must(upload_image(*gpu_device(), image, "checks"));
  const Image picture = render({.width = 80, .height = 45, .samples = 1});
  glm::ivec3 low(255);
  glm::ivec3 high(0);
  for (float x = -0.8f; x < 0.8f; x += 0.1f) {
    const glm::ivec3 c = color_at(picture, {x, 0});
    low = glm::min(low, c);
    high = glm::max(high, c);
  }
  EXPECT_LT(high.g - low.g, 20);
  EXPECT_GT(low.g, 60);
}

}  // namespace
}  // namespace pelt::samples
