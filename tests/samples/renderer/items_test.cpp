// SPDX-License-Identifier: MIT
// Tests pictures of several items, of lines and of dots.
#include <array>
#include <limits>

#include "tests/samples/renderer/renderers.h"

namespace pelt::samples {
namespace {

using test::gpu_device;

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
  add_ground();
  const Image skin = render();
  scene_.items[0].skin = false;
  const Image nothing = render();
  EXPECT_EQ(nothing.pixels, backdrop().pixels);
  scene_.items[0].wire = true;
  EXPECT_GT(difference(nothing, render()), 0.01);
}

TEST_F(Renderers, DrawItemsOnTheirSideOfTheSplit) {
  add_ground();
  DrawItem item = scene_.items[0];
  item.color = glm::vec4(0.6f, 0.1f, 0.02f, 1.0f);
  scene_.items = {item};
  const Image red = render();
  item.color = glm::vec4(0.02f, 0.1f, 0.6f, 1.0f);
  scene_.items = {item};
  const Image blue = render();

  const auto show_both = [&] {
    scene_.items = {item, item};
    scene_.items[0].color = glm::vec4(0.6f, 0.1f, 0.02f, 1.0f);
    scene_.items[0].side = SplitSide::kLeft;
    scene_.items[1].side = SplitSide::kRight;
  };
  show_both();
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
  show_both();
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
  bend_second();
  DrawItem item = scene_.items[0];
  item.wire = true;
  item.bounds.add(glm::vec3(4, 5, 0));
  const std::vector<glm::mat4> worlds = side_by_side(item.bounds, 2, View{}.yaw);
  std::vector<Bounds> boxes;
  for (const glm::mat4& world : worlds) boxes.push_back(transform_bounds(world, item.bounds));
  scene_.camera = frame_camera(boxes, 16.0f / 9.0f);
  add_ground();
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
  auto renderer = test::must(Renderer::create(*gpu_device(), kSmall));
  refuses(renderer, "instance 2 of 2");
}

}  // namespace
}  // namespace pelt::samples
