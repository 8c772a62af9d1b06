// SPDX-License-Identifier: MIT
// A renderer on the device of the tests, and how pictures are compared.
#pragma once

#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <vector>

#include <pelt/runtime/transfer.h>
#include <pelt/runtime/upload.h>

#include "samples/renderer/gpu_objects.h"
#include "samples/renderer/renderer.h"
#include "tests/support/clip_joints.h"
#include "tests/support/driven.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"
#include "tests/support/tube.h"

namespace pelt::samples {

inline constexpr RendererOptions kSmall{.width = 160, .height = 90, .samples = 4};

inline Character make_character(const std::string& deformer) {
  return test::bound(test::make_tube({.around = 24, .along = 32}), *rig_from_deformer_name(deformer)).character;
}

// Returns the bounds of the skin at bind.
inline Bounds rest_bounds(const Character& character) {
  Bounds box;
  for (const CharacterMesh& mesh : character->meshes) {
    for (const glm::vec3& point : mesh.binding.points) {
      if (!mesh.control) box.add(point);
    }
  }
  return box;
}

inline glm::ivec3 pixel(const Image& image, glm::vec2 at) {
  const auto x = static_cast<std::uint32_t>(std::clamp(at.x, 0.0f, static_cast<float>(image.width) - 1));
  const auto y = static_cast<std::uint32_t>(std::clamp(at.y, 0.0f, static_cast<float>(image.height) - 1));
  const std::uint8_t* values = &image.pixels[4 * (std::size_t{y} * image.width + x)];
  return {values[0], values[1], values[2]};
}

// Returns the share of pixels, in columns [begin, end) of the width, that differ by more than 4 steps in a channel.
inline double difference(const Image& a, const Image& b, double begin = 0, double end = 1) {
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
    PELT_REQUIRE_GPU(test::gpu_device());
    show("linear-blend");
  }

  void show(const std::string& deformer) { show(make_character(deformer)); }

  // `control_meshes`: the crowd writes drivers, too.
  void show(Character character, bool control_meshes = true) {
    character_.emplace(std::move(character));
    crowd_.reset();
    gpu_.emplace(test::must(runtime::upload(*test::gpu_device(), *character_)));
    crowd_.emplace(test::must(runtime::Crowd::create(
        *test::gpu_device(), *gpu_, {.instances = {2}, .outputs = {.control_meshes = control_meshes}})));
    scene_ = {};
    scene_.ground = false;
    scene_.items.resize(1);
    scene_.items[0].crowd = &*crowd_;
    scene_.items[0].character = &*character_;
    scene_.items[0].bounds = rest_bounds(*character_);
    scene_.camera = frame_camera({&scene_.items[0].bounds, 1}, 16.0f / 9.0f);
  }

  void add_ground() { scene_.ground = true, scene_.ground_height = -1; }

  // Poses the first instance at rest, and the second with its last joint turned.
  void bend_second() {
    std::vector<glm::mat4> joints = test::clip_joints((*character_)->skeleton, nullptr, 0);
    crowd_->pose(0, joints);
    joints.back() = joints.back() * glm::rotate(glm::mat4(1.0f), 0.8f, glm::vec3(0, 0, 1));
    crowd_->pose(1, joints);
  }

  Image render(const RendererOptions& options = kSmall) {
    auto renderer = test::must(Renderer::create(*test::gpu_device(), options));
    auto image = test::must(renderer.render(scene_));
    EXPECT_EQ(image.pixels.size(), std::size_t{4} * options.width * options.height);
    return image;
  }

  // Returns the picture after `samples` more samples.
  static Image record(Renderer& renderer, std::uint32_t samples) {
    const runtime::Device& device = *test::gpu_device();
    const auto reader = test::must(PictureReader::create(device, {kSmall.width, kSmall.height}, "picture of a test"));
    test::must(runtime::submit_and_wait(device, "record", [&](VkCommandBuffer commands) {
      renderer.record(commands, samples);
      reader.record(device, commands, renderer.picture());
    }));
    return reader.picture();
  }

  // Tests that the renderer refuses the scene for a reason.
  void refuses(Renderer& renderer, const std::string& reason) {
    EXPECT_TRUE(test::refused(renderer.render(scene_), ErrorCode::kInvalidArgument, reason));
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

}  // namespace pelt::samples
