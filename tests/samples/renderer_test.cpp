// SPDX-License-Identifier: MIT
#include "samples/renderer/renderer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "engine/character/bind.h"
#include "engine/model/pose.h"
#include "runtime/upload.h"
#include "samples/renderer/geometry.h"
#include "samples/renderer/lighting.h"
#include "samples/renderer/shaders/color_ramp.h"
#include "tests/support/gpu.h"
#include "tests/support/tube.h"

namespace pelt::samples {
namespace {

using test::gpu_device;
using testing::HasSubstr;

constexpr RendererOptions kSmall{.width = 160, .height = 90, .samples = 4};

Character make_character(const std::string& deformer) {
  const Result<Bound> bound = bind(test::make_tube({.around = 24, .along = 32}), *rig_from_deformer_name(deformer));
  EXPECT_TRUE(bound) << bound.error().message;
  return bound->character;
}

// The box of the skin at bind.
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

// Share of pixels, in columns [begin, end) of the width, that differ by more than 4 steps in a channel.
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

  void show(Character character) {
    character_.emplace(std::move(character));
    auto gpu = runtime::upload(*gpu_device(), *character_);
    ASSERT_TRUE(gpu) << gpu.error().message;
    crowd_.reset();
    gpu_.emplace(std::move(*gpu));
    auto crowd = runtime::Crowd::create(*gpu_device(), *gpu_, {.instances = 2});
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

  Image backdrop(const RendererOptions& options = kSmall) {
    std::vector<DrawItem> items;
    items.swap(scene_.items);
    Image image = render(options);
    items.swap(scene_.items);
    return image;
  }

  std::optional<Character> character_;
  std::optional<runtime::GpuCharacter> gpu_;
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

TEST_F(Renderers, FillThePictureWithTheCharacter) {
  const double covered = difference(render(), backdrop());
  EXPECT_GT(covered, 0.10);
  EXPECT_LT(covered, 0.60);
  // Nothing of it touches the edge.
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
  EXPECT_LT(difference(same, colored, 0.0, 0.4), 0.01);  // the left one is not touched
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
  EXPECT_LT(difference(plain, wired), difference(plain, backdrop()) + 0.05);  // and nowhere else
}

TEST_F(Renderers, DrawDriversAsCages) {
  show("surface-ffd");
  const Image plain = render();
  scene_.items[0].control_meshes = true;
  const Image caged = render();
  EXPECT_GT(difference(plain, caged), 0.01);
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
  // A colour that the item gives, or its weights, is that of its dots.
  const glm::vec3 point = model.meshes[0].positions[0];
  const glm::vec2 at = project(scene_.camera, kSmall.width, kSmall.height, point);
  scene_.items[0].color = glm::vec4(1, 0, 0, 1);
  const glm::ivec3 red = pixel(render(), at);
  EXPECT_GT(red.r, 2 * std::max(red.g, red.b));
  const std::vector<float> weights(65, 1.0f);
  scene_.items[0].weights = weights;
  const glm::ivec3 yellow = pixel(render(), at);
  EXPECT_GT(std::min(yellow.r, yellow.g), 2 * yellow.b);

  // Beside triangles they add to the surface.
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
  const Result<Geometry> geometry = make_geometry(scene_);
  ASSERT_TRUE(geometry) << geometry.error().message;
  ASSERT_EQ(geometry->points.size(), 1u);
  EXPECT_EQ(geometry->points[0].count, 2u);
  EXPECT_FALSE(geometry->surfaces.empty());
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
  // and has no edge that is seen
  for (const glm::vec2 corner : {glm::vec2(0, 0), {159, 0}, {0, 89}, {159, 89}}) {
    const glm::ivec3 change = glm::abs(pixel(with, corner) - pixel(without, corner));
    EXPECT_LE(std::max({change.r, change.g, change.b}), 4);
  }
}

// A convex shape hides nothing of itself: what faces the key light is as bright as without shadows.
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
      if (m != shared::kKeyMap) sum += map.towards_light;
      // The map holds the scene, and light comes from where it says.
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
