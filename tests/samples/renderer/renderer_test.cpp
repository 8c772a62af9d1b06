// SPDX-License-Identifier: MIT
#include "samples/renderer/renderer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>

#include <pelt/bind.h>
#include <pelt/pose.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/gpu_timer.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/upload.h>
#include <pelt/runtime/vulkan_functions.h>

#include "samples/renderer/geometry.h"
#include "samples/renderer/lighting.h"
#include "samples/renderer/shaders/color_ramp.h"
#include "samples/renderer/textures.h"
#include "tests/engine/model/gltf/gltf_file.h"
#include "tests/support/gpu.h"
#include "tests/support/tube.h"

namespace pelt::samples {
namespace {

using test::GltfFile;
using test::gpu_device;
using testing::HasSubstr;

constexpr RendererOptions kSmall{.width = 160, .height = 90, .samples = 4};

Character make_character(const std::string& deformer) {
  const Result<Bound> bound = bind(test::make_tube({.around = 24, .along = 32}), *rig_from_deformer_name(deformer));
  EXPECT_TRUE(bound) << bound.error().message;
  return bound->character;
}

// Returns the bounds of the skin at bind.
Bounds rest_bounds(const Character& character) {
  Bounds box;
  for (const CharacterMesh& mesh : character->meshes) {
    for (const glm::vec3& point : mesh.binding.points) {
      if (!mesh.control) box.add(point);
    }
  }
  return box;
}

glm::ivec3 pixel(const Image& image, glm::vec2 at) {
  const auto x = static_cast<std::uint32_t>(std::clamp(at.x, 0.0f, static_cast<float>(image.width) - 1));
  const auto y = static_cast<std::uint32_t>(std::clamp(at.y, 0.0f, static_cast<float>(image.height) - 1));
  const std::uint8_t* values = &image.pixels[4 * (std::size_t{y} * image.width + x)];
  return {values[0], values[1], values[2]};
}

// Returns the share of pixels, in columns [begin, end) of the width, that differ by more than 4 steps in a channel.
double difference(const Image& a, const Image& b, double begin = 0, double end = 1) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  std::size_t seen = 0;
  std::size_t different = 0;
  for (std::uint32_t y = 0; y < a.height; ++y) {
    for (auto x = static_cast<std::uint32_t>(begin * a.width); x < static_cast<std::uint32_t>(end * a.width); ++x) {
      const glm::ivec3 change = glm::abs(pixel(a, {x, y}) - pixel(b, {x, y}));
      ++seen;
      different += std::max({change.r, change.g, change.b}) > 4 ? 1 : 0;
    }
  }
  return static_cast<double>(different) / static_cast<double>(seen);
}

// A tube on the test's device, its crowd of two instances, and a scene that shows the first.
class Renderers : public testing::Test {
 protected:
  void SetUp() override {
    PELT_REQUIRE_GPU(gpu_device());
    show("linear-blend");
  }

  void show(const std::string& deformer) { show(make_character(deformer)); }

  // `control_meshes`: the crowd writes drivers, too.
  void show(Character character, bool control_meshes = true) {
    character_.emplace(std::move(character));
    auto gpu = runtime::upload(*gpu_device(), *character_);
    ASSERT_TRUE(gpu) << gpu.error().message;
    crowd_.reset();
    gpu_.emplace(std::move(*gpu));
    auto crowd =
        runtime::Crowd::create(*gpu_device(), *gpu_, {.instances = {2}, .outputs = {.control_meshes = control_meshes}});
    ASSERT_TRUE(crowd) << crowd.error().message;
    crowd_.emplace(std::move(*crowd));
    scene_ = {};
    scene_.ground = false;
    scene_.items.resize(1);
    scene_.items[0].crowd = &*crowd_;
    scene_.items[0].character = &*character_;
    scene_.items[0].bounds = rest_bounds(*character_);
    scene_.camera = frame_camera({&scene_.items[0].bounds, 1}, 16.0f / 9.0f);
  }

  Image render(const RendererOptions& options = kSmall) {
    auto renderer = Renderer::create(*gpu_device(), options);
    EXPECT_TRUE(renderer) << renderer.error().message;
    auto image = renderer->render(scene_);
    EXPECT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->pixels.size(), std::size_t{4} * options.width * options.height);
    return std::move(*image);
  }

  // Returns the picture after `samples` more samples.
  static Image record(Renderer& renderer, std::uint32_t samples) {
    Image image{.width = kSmall.width, .height = kSmall.height, .pixels = {}};
    const VkDeviceSize bytes = VkDeviceSize{4} * image.width * image.height;
    const runtime::Device& device = *gpu_device();
    auto readback = runtime::Buffer::create(device, {.size = bytes,
                                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                                     .memory = runtime::MemoryUse::kReadback,
                                                     .name = "picture of a test"});
    EXPECT_TRUE(readback) << readback.error().message;
    const auto done = runtime::submit_and_wait(device, "record", [&](VkCommandBuffer commands) {
      renderer.record(commands, samples);
      const VkBufferImageCopy copy{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                   .imageExtent = {image.width, image.height, 1}};
      device.functions().vkCmdCopyImageToBuffer(commands, renderer.picture(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                                readback->handle(), 1, &copy);
      runtime::memory_barrier(device.functions(), commands, VK_PIPELINE_STAGE_2_COPY_BIT,
                              VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
    });
    EXPECT_TRUE(done) << done.error().message;
    readback->invalidate(0, bytes);
    const auto* first = reinterpret_cast<const std::uint8_t*>(readback->mapped());
    image.pixels.assign(first, first + bytes);
    return image;
  }

  Image backdrop(const RendererOptions& options = kSmall) {
    std::vector<DrawItem> items;
    items.swap(scene_.items);
    Image image = render(options);
    items.swap(scene_.items);
    return image;
  }

  std::optional<Character> character_;
  std::optional<runtime::GpuCharacters> gpu_;
  std::optional<runtime::Crowd> crowd_;
  Scene scene_;
};

TEST_F(Renderers, RefuseSizesThatCannotBeDrawn) {
  for (const RendererOptions options :
       {RendererOptions{.width = 0}, RendererOptions{.height = 0}, RendererOptions{.width = 1u << 30},
        RendererOptions{.samples = 0}, RendererOptions{.samples = 1u << 30}}) {
    const auto renderer = Renderer::create(*gpu_device(), options);
    ASSERT_FALSE(renderer);
    EXPECT_EQ(renderer.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(Renderers, RefuseItemsThatCannotBeDrawn) {
  auto renderer = Renderer::create(*gpu_device(), kSmall);
  ASSERT_TRUE(renderer) << renderer.error().message;
  const auto refused = [&](const DrawItem& item, const std::string& reason) {
    Scene scene = scene_;
    scene.items.push_back(item);
    const auto image = renderer->render(scene);
    ASSERT_FALSE(image) << reason;
    EXPECT_THAT(image.error().message, HasSubstr("item 1 of the scene"));
    EXPECT_THAT(image.error().message, HasSubstr(reason));
  };
  refused({}, "no crowd");
  DrawItem item = scene_.items[0];
  item.character = nullptr;
  refused(item, "no character");
  item = scene_.items[0];
  item.bounds = {};
  refused(item, "no bounds");
  item = scene_.items[0];
  item.instance = 2;
  refused(item, "instance 2 of 2");
  item = scene_.items[0];
  const std::vector<float> weights((*character_)->vertex_count() - 1);
  item.weights = weights;
  refused(item, "weights");
  const Character other =
      *bind(test::make_tube(), *rig_from_deformer_name("linear-blend")).map([](const Bound& b) { return b.character; });
  item = scene_.items[0];
  item.character = &other;
  refused(item, "another character");
}

TEST_F(Renderers, RefuseDriversThatTheCrowdDoesNotWrite) {
  show(make_character("surface-ffd"), false);
  auto renderer = Renderer::create(*gpu_device(), kSmall);
  ASSERT_TRUE(renderer) << renderer.error().message;
  EXPECT_TRUE(renderer->render(scene_));
  scene_.items[0].control_meshes = true;
  const auto image = renderer->render(scene_);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(image.error().message, HasSubstr("item 0 of the scene shows drivers"));
  EXPECT_THAT(image.error().message, HasSubstr("CrowdOutputs::control_meshes"));
  // A character without drivers has none to write.
  show(make_character("linear-blend"), false);
  scene_.items[0].control_meshes = true;
  EXPECT_TRUE(renderer->render(scene_));
}

TEST_F(Renderers, FillThePictureWithTheCharacter) {
  const double covered = difference(render(), backdrop());
  EXPECT_GT(covered, 0.10);
  EXPECT_LT(covered, 0.60);
  // The tube does not touch the picture's edge.
  EXPECT_EQ(difference(render(), backdrop(), 0.0, 0.03), 0.0);
  EXPECT_EQ(difference(render(), backdrop(), 0.97, 1.0), 0.0);
}

TEST_F(Renderers, GiveTheSameBytesAgain) {
  scene_.ground = true;
  scene_.ground_height = -1.0f;
  EXPECT_EQ(render().pixels, render().pixels);
}

TEST_F(Renderers, DrawSmallAndWidePictures) {
  for (const auto& [width, height] : {std::pair{1u, 1u}, {1u, 64u}, {4096u, 8u}, {63u, 65u}}) {
    const Image image = render({.width = width, .height = height, .samples = 2});
    EXPECT_EQ(image.width, width);
    EXPECT_EQ(image.height, height);
  }
}

TEST_F(Renderers, ShowEachInstanceInItsOwnPose) {
  const Skeleton& skeleton = (*character_)->skeleton;
  std::vector<glm::mat4> joints(skeleton.joints.size());
  rest_matrices(skeleton, joints);
  crowd_->pose(0, joints);
  joints.back() = joints.back() * glm::rotate(glm::mat4(1.0f), 0.8f, glm::vec3(0, 0, 1));
  crowd_->pose(1, joints);
  const Image straight = render();
  scene_.items[0].instance = 1;
  EXPECT_GT(difference(straight, render()), 0.03);
}

TEST(PosedBounds, HoldTheSkinAndNotItsDriver) {
  const Character character = make_character("surface-ffd");
  std::vector<glm::mat4> joints(character->skeleton.joints.size());
  rest_matrices(character->skeleton, joints);
  const Bounds rest = rest_bounds(character);
  const glm::mat4 move = glm::translate(glm::mat4(1.0f), glm::vec3(5, 6, 7));
  for (glm::mat4& joint : joints) joint = move * joint;
  const Bounds moved = posed_bounds(character, {joints, {}});
  EXPECT_LT(glm::distance(moved.low, rest.low + glm::vec3(5, 6, 7)), 1e-3f);
  EXPECT_LT(glm::distance(moved.high, rest.high + glm::vec3(5, 6, 7)), 1e-3f);
}

TEST_F(Renderers, DrawItemsSideBySide) {
  const DrawItem item = scene_.items[0];
  const std::vector<glm::mat4> worlds = side_by_side(item.bounds, 2, View{}.yaw);
  Bounds all;
  scene_.items.clear();
  for (const glm::mat4& world : worlds) {
    scene_.items.push_back(item);
    scene_.items.back().world = world;
    all.add(transform_bounds(world, item.bounds));
  }
  scene_.camera = frame_camera({&all, 1}, 16.0f / 9.0f);
  const Image same = render();
  scene_.items[1].color = glm::vec4(0.02f, 0.1f, 0.6f, 1.0f);
  const Image colored = render();
  EXPECT_LT(difference(same, colored, 0.0, 0.4), 0.01);  // the left one does not change
  EXPECT_GT(difference(same, colored, 0.5, 1.0), 0.05);
}

// The tube is its own mirror image: only the winding of its triangles changes.
TEST_F(Renderers, LightMirroredTrianglesAlike) {
  const Image straight = render();
  scene_.items[0].world = glm::scale(glm::mat4(1.0f), glm::vec3(1, 1, -1));
  EXPECT_LT(difference(straight, render()), 0.01);
}

TEST_F(Renderers, DrawEdgesOverTheSurface) {
  const Image plain = render();
  scene_.items[0].wire = true;
  const Image wired = render();
  EXPECT_GT(difference(plain, wired), 0.03);
  EXPECT_LT(difference(plain, wired), difference(plain, backdrop()) + 0.05);  // the lines appear on the tube only
}

TEST_F(Renderers, DrawDriversAsCages) {
  show("surface-ffd");
  const Image plain = render();
  scene_.items[0].control_meshes = true;
  const Image caged = render();
  EXPECT_GT(difference(plain, caged), 0.01);
}

// Covers everything that a draw reads by vertex: two poses, edges, weights and texture coordinates.
TEST_F(Renderers, DrawTheSameWhereTheCrowdLeavesDriversOut) {
  Model model = test::make_tube({.around = 24, .along = 32});
  for (const glm::vec3& position : model.meshes[0].positions) {
    model.meshes[0].uvs.emplace_back(position.x / 8, position.y > 0 ? 0.0f : 1.0f);
  }
  model.meshes[0].parts[0].material = 0;
  model.materials.push_back({.name = "checks"});
  const Result<Bound> bound = bind(model, *rig_from_deformer_name("surface-ffd"));
  ASSERT_TRUE(bound) << bound.error().message;
  const Character& character = bound->character;
  // The skin's vertices are not the character's first ones, but are the first ones of a crowd that leaves out drivers.
  ASSERT_TRUE(character->meshes.front().control);
  ASSERT_FALSE(character->meshes.back().control);

  const std::vector<std::uint8_t> pixels{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 0, 255};
  auto checks = upload_image(*gpu_device(), {.width = 2, .height = 2, .pixels = pixels}, "checks");
  ASSERT_TRUE(checks) << checks.error().message;
  MaterialTextures textures;
  textures.images.push_back(std::move(*checks));
  textures.materials.push_back({.image = 0});
  std::vector<float> weights(character->vertex_count());
  for (std::size_t v = 0; v < weights.size(); ++v) {
    weights[v] = static_cast<float>(v) / static_cast<float>(weights.size());
  }
  std::vector<glm::mat4> joints(character->skeleton.joints.size());
  rest_matrices(character->skeleton, joints);
  joints.back() = joints.back() * glm::rotate(glm::mat4(1.0f), 0.8f, glm::vec3(0, 0, 1));
  const std::array<glm::mat4, 1> below{glm::translate(glm::mat4(1.0f), glm::vec3(0, -2.5f, 0))};

  const auto draw = [&](bool control_meshes) {
    show(character, control_meshes);
    crowd_->pose(1, joints);
    scene_.items[0].others = below;
    scene_.items[0].textures = &textures;
    std::vector<Image> images{render()};
    scene_.items[0].wire = true;
    images.push_back(render());
    scene_.items[0].weights = weights;
    images.push_back(render());
    return images;
  };
  const std::vector<Image> with = draw(true);
  EXPECT_GT(difference(with[0], backdrop()), 0.1);
  EXPECT_GT(difference(with[0], with[1]), 0.03);
  EXPECT_GT(difference(with[1], with[2]), 0.03);
  const std::vector<Image> without = draw(false);
  for (std::size_t i = 0; i < with.size(); ++i) EXPECT_EQ(with[i].pixels, without[i].pixels) << i;
}

TEST_F(Renderers, DrawWeightsInTheColorsOfTheRamp) {
  const glm::vec2 middle = project(scene_.camera, kSmall.width, kSmall.height, scene_.items[0].bounds.center());
  const auto hue = [](glm::vec3 c) { return c / std::max({c.r, c.g, c.b}); };
  for (const float value : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
    const std::vector<float> weights((*character_)->vertex_count(), value);
    scene_.items[0].weights = weights;
    const glm::vec3 drawn = hue(glm::vec3(pixel(render(), middle)));
    const glm::vec3 expected = hue(shared::color_ramp(value));
    EXPECT_LT(glm::distance(drawn, expected), 0.35f) << value;
    for (const float other : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
      if (other == value) continue;
      EXPECT_LT(glm::distance(drawn, expected), glm::distance(drawn, hue(shared::color_ramp(other))))
          << value << " looks like " << other;
    }
  }
}

TEST_F(Renderers, DrawVerticesOfNoTriangleAsDots) {
  Model model = test::make_cloud(65);
  show(bind(model, *rig_from_deformer_name("linear-blend"))->character);
  const Image dots = render();
  const Image empty = backdrop();
  EXPECT_GT(difference(dots, empty), 0.01);
  // The item's colour, or its weights, colour the dots.
  const glm::vec3 point = model.meshes[0].positions[0];
  const glm::vec2 at = project(scene_.camera, kSmall.width, kSmall.height, point);
  scene_.items[0].color = glm::vec4(1, 0, 0, 1);
  const glm::ivec3 red = pixel(render(), at);
  EXPECT_GT(red.r, 2 * std::max(red.g, red.b));
  const std::vector<float> weights(65, 1.0f);
  scene_.items[0].weights = weights;
  const glm::ivec3 yellow = pixel(render(), at);
  EXPECT_GT(std::min(yellow.r, yellow.g), 2 * yellow.b);

  // Points beside triangles add to the picture.
  const Model alone = test::make_tube({});
  Mesh tube = alone.meshes[0];
  for (const glm::vec3& p : {glm::vec3(2, 1.5f, 0), glm::vec3(6, -1.5f, 0)}) {
    tube.positions.push_back(p);
    tube.normals.emplace_back(0, 0, 1);
    tube.weights.append_row(alone.meshes[0].weights.row(0));
  }
  tube.tangents.clear();
  tube.uvs.clear();
  Model both = alone;
  both.meshes[0] = tube;
  show(bind(both, *rig_from_deformer_name("linear-blend"))->character);
  Draws draws;
  append_draws(scene_.items[0], 0, make_geometry(**character_).meshes, draws);
  ASSERT_EQ(draws.points.size(), 1u);
  EXPECT_EQ(draws.points[0].count, 2u);
  EXPECT_FALSE(draws.surfaces.empty());
}

TEST_F(Renderers, AddSamplesToThePictureOverSeveralRecordings) {
  scene_.ground = true;
  scene_.ground_height = -1.0f;
  auto renderer = Renderer::create(*gpu_device(), kSmall);
  ASSERT_TRUE(renderer) << renderer.error().message;
  const auto whole = renderer->render(scene_);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(renderer->recorded_samples(), 4u);

  ASSERT_TRUE(renderer->set_scene(scene_));
  EXPECT_EQ(renderer->recorded_samples(), 0u);
  const Image half = record(*renderer, 2);
  EXPECT_EQ(renderer->recorded_samples(), 2u);
  EXPECT_GT(difference(half, backdrop()), 0.1);
  EXPECT_LT(difference(half, *whole), 0.3);  // as bright, but coarser
  EXPECT_EQ(record(*renderer, 0).pixels, half.pixels);
  EXPECT_EQ(record(*renderer, 1).pixels == half.pixels, false);
  EXPECT_EQ(record(*renderer, 100).pixels, whole->pixels);
  EXPECT_EQ(renderer->recorded_samples(), 4u);
  EXPECT_EQ(record(*renderer, 1).pixels, whole->pixels);

  // The samples start anew with each scene.
  scene_.camera.eye.y += 1.0f;
  const auto moved = renderer->render(scene_);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_GT(difference(*whole, *moved), 0.03);
  EXPECT_EQ(moved->pixels, render().pixels);
}

TEST_F(Renderers, HaveAPictureBeforeAnythingIsDrawn) {
  auto renderer = Renderer::create(*gpu_device(), kSmall);
  ASSERT_TRUE(renderer) << renderer.error().message;
  EXPECT_FALSE(renderer->seconds());
  record(*renderer, 0);
  EXPECT_EQ(record(*renderer, 4).pixels, backdrop().pixels);
}

TEST_F(Renderers, ForgetTheSceneBeforeARefusedOne) {
  auto renderer = Renderer::create(*gpu_device(), kSmall);
  ASSERT_TRUE(renderer) << renderer.error().message;
  ASSERT_TRUE(renderer->set_scene(scene_));
  Scene wrong = scene_;
  wrong.items[0].instance = 2;
  ASSERT_FALSE(renderer->set_scene(wrong));
  EXPECT_EQ(record(*renderer, 4).pixels, backdrop().pixels);
}

TEST_F(Renderers, TimeTheirPasses) {
  auto renderer = Renderer::create(*gpu_device(), kSmall);
  ASSERT_TRUE(renderer) << renderer.error().message;
  ASSERT_TRUE(renderer->render(scene_));
  const std::optional<PassSeconds> seconds = renderer->seconds();
  ASSERT_EQ(seconds.has_value(), runtime::GpuTimer::supported(*gpu_device()));
  if (!seconds) return;
  ASSERT_EQ(seconds->crowds.size(), 1u);
  const std::span<const std::string> passes = scene_.items[0].crowd->passes();
  ASSERT_EQ(seconds->crowds[0].size(), passes.size());
  for (std::size_t p = 0; p < passes.size(); ++p) {
    EXPECT_EQ(seconds->crowds[0][p].name, passes[p]);
    EXPECT_GT(seconds->crowds[0][p].seconds, 0) << passes[p];
  }
  EXPECT_GT(seconds->shadows, 0);
  EXPECT_GT(seconds->surfaces, 0);
  EXPECT_GT(seconds->lines, 0);
  EXPECT_GT(seconds->development, 0);
}

TEST_F(Renderers, DrawTheScenesOwnLinesAndDots) {
  const Bounds& box = scene_.items[0].bounds;
  const glm::vec4 green(0, 1, 0, 1);
  const auto greenness = [&](const Image& image, glm::vec3 at) {
    const glm::ivec3 c = pixel(image, project(scene_.camera, image.width, image.height, at));
    return c.g - std::max(c.r, c.b);
  };
  // One line in front of the tube, and one beyond all items: above it, twice as far.
  const glm::vec3 front = glm::mix(box.center(), scene_.camera.eye, 0.5f);
  const glm::vec3 above = glm::mix(scene_.camera.eye, box.center() + glm::vec3(0, 0.8f * box.size().y, 0), 2.0f);
  std::vector<OverlayLine> lines{{front - glm::vec3(1, 0, 0), front + glm::vec3(1, 0, 0), green, 12.0f},
                                 {above - glm::vec3(1, 0, 0), above + glm::vec3(1, 0, 0), green, 12.0f}};
  scene_.lines = lines;
  const Image with_lines = render();
  EXPECT_GT(greenness(with_lines, front), 60);
  EXPECT_GT(greenness(with_lines, above), 60);

  scene_.lines = {};
  std::vector<OverlayDot> dots{{front, green, 24.0f}};
  scene_.dots = dots;
  EXPECT_GT(greenness(render(), front), 60);

  // A dot inside the tube is hidden, or faint.
  dots[0].at = box.center();
  const Image hidden = render();
  EXPECT_LT(greenness(hidden, box.center()), 20);
  dots[0].through = true;
  const Image through = render();
  EXPECT_GT(greenness(through, box.center()), greenness(hidden, box.center()) + 10);
  dots[0].at = front;
  EXPECT_GT(greenness(render(), front), greenness(through, box.center()) + 30);

  // A position that is not finite is left out.
  dots[0].at.x = std::numeric_limits<float>::quiet_NaN();
  const Image without = render();
  scene_.dots = {};
  EXPECT_EQ(without.pixels, render().pixels);
}

TEST_F(Renderers, DrawItemsWithoutTheirSkin) {
  scene_.ground = true;
  scene_.ground_height = -1.0f;
  const Image skin = render();
  scene_.items[0].skin = false;
  const Image nothing = render();
  EXPECT_EQ(nothing.pixels, backdrop().pixels);
  scene_.items[0].wire = true;
  EXPECT_GT(difference(nothing, render()), 0.01);
}

TEST_F(Renderers, DrawItemsOnTheirSideOfTheSplit) {
  scene_.ground = true;
  scene_.ground_height = -1.0f;
  DrawItem item = scene_.items[0];
  item.color = glm::vec4(0.6f, 0.1f, 0.02f, 1.0f);
  scene_.items = {item};
  const Image red = render();
  item.color = glm::vec4(0.02f, 0.1f, 0.6f, 1.0f);
  scene_.items = {item};
  const Image blue = render();

  scene_.items = {item, item};
  scene_.items[0].color = glm::vec4(0.6f, 0.1f, 0.02f, 1.0f);
  scene_.items[0].side = SplitSide::kLeft;
  scene_.items[1].side = SplitSide::kRight;
  const Image split = render();
  EXPECT_EQ(difference(split, red, 0.0, 0.49), 0.0);
  EXPECT_EQ(difference(split, blue, 0.51, 1.0), 0.0);
  EXPECT_GT(difference(split, red, 0.51, 1.0), 0.05);
  EXPECT_GT(difference(split, blue, 0.49, 0.51), 0.5);  // the line

  // With only one side there is no line, and no shadow on the other side.
  scene_.items.pop_back();
  const Image left = render();
  EXPECT_EQ(difference(left, red, 0.0, 0.5), 0.0);
  scene_.items[0].skin = false;
  EXPECT_EQ(difference(left, render(), 0.5, 1.0), 0.0);

  // The split at its ends, and beyond.
  scene_.items = {item, item};
  scene_.items[0].color = glm::vec4(0.6f, 0.1f, 0.02f, 1.0f);
  scene_.items[0].side = SplitSide::kLeft;
  scene_.items[1].side = SplitSide::kRight;
  for (const float far : {1.0f, 7.0f}) {
    scene_.split = far;
    EXPECT_EQ(difference(render(), red, 0.0, 0.98), 0.0);
  }
  for (const float far : {0.0f, -7.0f, std::numeric_limits<float>::quiet_NaN()}) {
    scene_.split = far;
    EXPECT_EQ(difference(render(), blue, 0.02, 1.0), 0.0);
  }
}

TEST_F(Renderers, DrawInstancesAsItemsOfTheirOwn) {
  const Skeleton& skeleton = (*character_)->skeleton;
  std::vector<glm::mat4> joints(skeleton.joints.size());
  rest_matrices(skeleton, joints);
  crowd_->pose(0, joints);
  joints.back() = joints.back() * glm::rotate(glm::mat4(1.0f), 0.8f, glm::vec3(0, 0, 1));
  crowd_->pose(1, joints);
  DrawItem item = scene_.items[0];
  item.wire = true;
  item.bounds.add(glm::vec3(4, 5, 0));
  const std::vector<glm::mat4> worlds = side_by_side(item.bounds, 2, View{}.yaw);
  std::vector<Bounds> boxes;
  for (const glm::mat4& world : worlds) boxes.push_back(transform_bounds(world, item.bounds));
  scene_.camera = frame_camera(boxes, 16.0f / 9.0f);
  scene_.ground = true;
  scene_.ground_height = -1.0f;
  std::vector<float> weights((*character_)->vertex_count());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 7) / 7;
  for (const bool heat : {false, true}) {
    if (heat) item.weights = weights;
    scene_.items = {item, item};
    scene_.items[0].world = worlds[0];
    scene_.items[1].world = worlds[1];
    scene_.items[1].instance = 1;
    const Image apart = render();
    scene_.items.pop_back();
    scene_.items[0].others = {&worlds[1], 1};
    EXPECT_LT(difference(apart, render()), 0.002);
  }
  const std::array<glm::mat4, 2> too_many{worlds[0], worlds[1]};
  scene_.items[0].others = too_many;
  auto renderer = Renderer::create(*gpu_device(), kSmall);
  ASSERT_TRUE(renderer) << renderer.error().message;
  const auto refused = renderer->render(scene_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("instance 2 of 2"));
}

TEST_F(Renderers, CastShadowsOnTheGroundAlone) {
  const Image without = render();
  scene_.ground = true;
  scene_.ground_height = -1.0f;
  const Image with = render();
  EXPECT_GT(difference(without, with), 0.03);
  int lighter = 0;
  for (std::uint32_t y = 0; y < with.height; ++y) {
    for (std::uint32_t x = 0; x < with.width; ++x) {
      lighter += pixel(with, {x, y}).g > pixel(without, {x, y}).g + 4 ? 1 : 0;
    }
  }
  EXPECT_EQ(lighter, 0);  // the floor only takes light away
  // and has no visible edge
  for (const glm::vec2 corner : {glm::vec2(0, 0), {159, 0}, {0, 89}, {159, 89}}) {
    const glm::ivec3 change = glm::abs(pixel(with, corner) - pixel(without, corner));
    EXPECT_LE(std::max({change.r, change.g, change.b}), 4);
  }
}

// A convex shape does not shade itself: where it faces the key light, it is as bright as without shadows.
TEST_F(Renderers, LeaveLitSurfacesFreeOfTheirOwnShadow) {
  scene_.items[0].color = glm::vec4(0.5f, 0.5f, 0.5f, 1.0f);
  const Image image = render({.width = 320, .height = 180, .samples = 8});
  // Along the top of the tube, where the light is the same, brightness changes slowly.
  const Bounds& box = scene_.items[0].bounds;
  int before = -1;
  for (float x = 1.0f; x < 7.0f; x += 0.05f) {
    const glm::vec3 point(x, box.high.y * std::sqrt(0.75f), box.high.z * 0.5f);
    const int now = pixel(image, project(scene_.camera, image.width, image.height, point)).g;
    if (before >= 0) {
      EXPECT_LE(std::abs(now - before), 4) << "at x = " << x;
    }
    before = now;
  }
  EXPECT_GT(before, 100);
}

// The cosine between a unit normal and the unit vector to the eye may round to more than 1.
TEST_F(Renderers, LeaveNoHolesInWhatFacesTheEye) {
  const glm::vec3 towards_eye = glm::normalize(glm::vec3(0.3f, 0.5f, 0.8f));
  const Model tube = test::make_tube({});
  Mesh mesh{.name = "square", .triangles = {{0, 1, 2}, {0, 2, 3}}, .parts = {{.triangle_count = 2}}};
  const glm::vec3 across = glm::normalize(glm::cross(glm::vec3(0, 1, 0), towards_eye));
  const glm::vec3 up = glm::cross(towards_eye, across);
  for (const glm::vec2 corner : {glm::vec2(-1, -1), {1, -1}, {1, 1}, {-1, 1}}) {
    mesh.positions.push_back(corner.x * across + corner.y * up);
    mesh.normals.push_back(glm::normalize(towards_eye + 5e-4f * (corner.x * across + corner.y * up)));
    mesh.weights.append_row(tube.meshes[0].weights.row(0));
  }
  Model square = tube;
  square.meshes[0] = mesh;
  show(bind(square, *rig_from_deformer_name("linear-blend"))->character);
  scene_.camera = {.eye = 100.0f * towards_eye, .target = glm::vec3(0.0f), .vertical_fov = 0.01f};
  const Image image = render();
  int holes = 0;
  for (std::uint32_t y = 0; y < image.height; ++y) {
    for (std::uint32_t x = 0; x < image.width; ++x) holes += pixel(image, {x, y}) == glm::ivec3(0) ? 1 : 0;
  }
  EXPECT_EQ(holes, 0);
  EXPECT_GT(difference(image, backdrop()), 0.9);
}

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
    const Result<Model> model = file.import();
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_THAT(model->report.notes, testing::Each(testing::Not(HasSubstr("images of"))));
    show(bind(*model, *rig_from_deformer_name("linear-blend"))->character);
    auto textures = make_textures(*gpu_device(), *model, notes_);
    ASSERT_TRUE(textures) << textures.error().message;
    textures_ = *textures;
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
  const auto textures = make_textures(*gpu_device(), model, notes_);
  ASSERT_TRUE(textures) << textures.error().message;
  EXPECT_TRUE((*textures)->images.empty());
  ASSERT_EQ((*textures)->materials.size(), 1u);
  EXPECT_EQ((*textures)->materials[0].image, -1);
}

TEST_F(Textures, HaveMipMaps) {
  // Every second pixel is white: from afar the picture is grey.
  Image image{.width = 256, .height = 256, .pixels = {}};
  for (std::uint32_t i = 0; i < 256 * 256; ++i) {
    const std::uint8_t value = (i + i / 256) % 2 == 0 ? 255 : 0;
    image.pixels.insert(image.pixels.end(), {value, value, value, 255});
  }
  show_file(textured_square(kFourColors));
  auto checks = upload_image(*gpu_device(), image, "checks");
  ASSERT_TRUE(checks) << checks.error().message;
  textures_->images[0] = std::move(*checks);
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

TEST(Geometries, ListEveryEdgeOnce) {
  EXPECT_TRUE(unique_edges({}).empty());
  const std::array<glm::uvec3, 4> tetrahedron{glm::uvec3(0, 1, 2), {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  const std::vector<glm::uvec2> edges = unique_edges(tetrahedron);
  EXPECT_THAT(edges, testing::ElementsAre(glm::uvec2(0, 1), glm::uvec2(0, 2), glm::uvec2(0, 3), glm::uvec2(1, 2),
                                          glm::uvec2(1, 3), glm::uvec2(2, 3)));
}

TEST(Lights, SurroundTheSceneEvenly) {
  Scene scene;
  scene.items.resize(1);
  scene.items[0].bounds.add(glm::vec3(-1, 0, -2));
  scene.items[0].bounds.add(glm::vec3(3, 5, 1));
  const Lighting lighting = make_lighting(scene, {.samples = 16});
  ASSERT_EQ(lighting.samples.size(), 16u);
  glm::vec3 sum(0.0f);
  for (const shared::Sample& sample : lighting.samples) {
    EXPECT_GT(sample.maps[shared::kKeyMap].towards_light.y, 0.3f);
    for (std::uint32_t m = 0; m < shared::kMaps; ++m) {
      const shared::ShadowMap& map = sample.maps[m];
      EXPECT_NEAR(glm::length(map.towards_light), 1.0f, 1e-5f);
      if (m >= shared::kFirstSky) sum += map.towards_light;
      // The map encloses the scene, and its depth grows away from the light.
      for (int corner = 0; corner < 8; ++corner) {
        const glm::vec3 point((corner & 1) != 0 ? -1 : 3, (corner & 2) != 0 ? 0 : 5, (corner & 4) != 0 ? -2 : 1);
        const glm::vec3 at(map.map_from_world * glm::vec4(point, 1.0f));
        const glm::vec3 nearer(map.map_from_world * glm::vec4(point + 0.1f * map.towards_light, 1.0f));
        EXPECT_TRUE(glm::all(glm::greaterThan(at, glm::vec3(-1e-4f))) &&
                    glm::all(glm::lessThan(at, glm::vec3(1.0001f))));
        EXPECT_NEAR(at.z - nearer.z, 0.1f / map.depth, 1e-4f);
        EXPECT_NEAR(at.x, nearer.x, 1e-4f);
      }
    }
  }
  EXPECT_LT(glm::length(sum) / 32.0f, 0.02f);
}

}  // namespace
}  // namespace pelt::samples
