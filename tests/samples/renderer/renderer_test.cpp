// SPDX-License-Identifier: MIT
#include "samples/renderer/renderer.h"

#include <array>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/runtime/gpu_timer.h>

#include "samples/renderer/geometry.h"
#include "samples/renderer/shaders/color_ramp.h"
#include "samples/renderer/textures.h"
#include "tests/samples/renderer/renderers.h"

namespace pelt::samples {
namespace {

using test::gpu_device;

TEST_F(Renderers, RefuseSizesThatCannotBeDrawn) {
  for (const RendererOptions options :
       {RendererOptions{.width = 0}, RendererOptions{.height = 0}, RendererOptions{.width = 1u << 30},
        RendererOptions{.samples = 0}, RendererOptions{.samples = 1u << 30}}) {
    EXPECT_TRUE(test::refused(Renderer::create(*gpu_device(), options), ErrorCode::kInvalidArgument));
  }
}

TEST_F(Renderers, RefuseItemsThatCannotBeDrawn) {
  auto renderer = test::must(Renderer::create(*gpu_device(), kSmall));
  const auto refused = [&](const auto& change, const std::string& reason) {
    scene_.items.resize(1);
    scene_.items.push_back(scene_.items[0]);
    change(scene_.items[1]);
    refuses(renderer, "item 1 of the scene");
    refuses(renderer, reason);
  };
  refused([](DrawItem& item) { item = {}; }, "no crowd");
  refused([](DrawItem& item) { item.character = nullptr; }, "no character");
  refused([](DrawItem& item) { item.bounds = {}; }, "no bounds");
  refused([](DrawItem& item) { item.instance = 2; }, "instance 2 of 2");
  const std::vector<float> weights((*character_)->vertex_count() - 1);
  refused([&](DrawItem& item) { item.weights = weights; }, "weights");
  // Also one with as many vertices.
  for (const Character& other : {test::bound_by(test::make_tube(), "linear-blend"), make_character("linear-blend")}) {
    refused([&](DrawItem& item) { item.character = &other; }, "another character");
  }
}

TEST_F(Renderers, RefuseInstancesOfAnotherCharacter) {
  auto renderer = test::must(Renderer::create(*gpu_device(), kSmall));
  const Character both[] = {*character_, make_character("dual-quaternion")};
  const runtime::GpuCharacters gpu = test::must(runtime::upload(*gpu_device(), both));
  runtime::Crowd crowd = test::must(runtime::Crowd::create(*gpu_device(), gpu, {.outputs = {.control_meshes = true}}));
  scene_.items[0].crowd = &crowd;
  EXPECT_TRUE(renderer.render(scene_));
  const glm::mat4 second(1);
  scene_.items[0].others = {&second, 1};
  refuses(renderer, "item 0 of the scene shows instance 1, which has another character");
}

// A crowd has room for more instances than it has, and instances may have no outputs.
TEST_F(Renderers, RefuseInstancesThatAreNotThere) {
  auto renderer = test::must(Renderer::create(*gpu_device(), kSmall));
  const runtime::CrowdOutputs outputs{.control_meshes = true};
  const runtime::CrowdCapacity room = runtime::capacity_of(*character_, 4, outputs);
  runtime::Crowd crowd = test::must(
      runtime::Crowd::create(*gpu_device(), *gpu_, {.instances = {1}, .capacity = room, .outputs = outputs}));
  scene_.items[0].crowd = &crowd;
  EXPECT_TRUE(renderer.render(scene_));
  const glm::mat4 second(1);
  scene_.items[0].others = {&second, 1};
  refuses(renderer, "item 0 of the scene shows instance 1, which its crowd does not have");
  const std::uint32_t hidden = test::must(crowd.acquire(0, false));
  ASSERT_EQ(hidden, 1u);
  refuses(renderer, "item 0 of the scene shows instance 1, which has no outputs");
  ASSERT_TRUE(crowd.set_outputs(hidden, true));
  EXPECT_TRUE(renderer.render(scene_));
  crowd.release(0);
  refuses(renderer, "item 0 of the scene shows instance 0, which its crowd does not have");
}

// A crowd has vertices of all levels.
TEST_F(Renderers, DrawTheFinestLevelOfDetail) {
  Model model = test::make_tube({.around = 24, .along = 32});
  model.levels.push_back({0, 1, test::make_tube_mesh({.around = 8, .along = 12})});
  model.levels.back().mesh.name = "tube_LOD1";
  const Character levelled = test::bound_by(model, "surface-ffd");
  for (const bool drivers : {false, true}) {
    show(levelled.at_level(0), drivers);
    const std::uint32_t finest = crowd_->instance(0)->vertex_count;
    const Image plain = render();
    show(levelled, drivers);
    ASSERT_GT(crowd_->instance(0)->vertex_count, finest);
    EXPECT_EQ(render().pixels, plain.pixels);
  }
}

TEST_F(Renderers, RefuseDriversThatTheCrowdDoesNotWrite) {
  show(make_character("surface-ffd"), false);
  auto renderer = test::must(Renderer::create(*gpu_device(), kSmall));
  EXPECT_TRUE(renderer.render(scene_));
  scene_.items[0].control_meshes = true;
  refuses(renderer, "item 0 of the scene shows drivers");
  refuses(renderer, "CrowdOutputs::control_meshes");
  // A character without drivers has none to write.
  show(make_character("linear-blend"), false);
  scene_.items[0].control_meshes = true;
  EXPECT_TRUE(renderer.render(scene_));
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
  add_ground();
  EXPECT_EQ(render().pixels, render().pixels);
}

TEST_F(Renderers, DrawSmallAndWidePictures) {
  for (const auto& [width, height] : {std::pair{1u, 1u}, {1u, 64u}, {4096u, 8u}, {63u, 65u}}) {
    const Image image = render({.width = width, .height = height, .samples = 2});
    EXPECT_EQ(image.width, width);
    EXPECT_EQ(image.height, height);
  }
}

TEST(PosedBounds, HoldTheSkinAndNotItsDriver) {
  const Character character = make_character("surface-ffd");
  std::vector<glm::mat4> joints = test::clip_joints(character->skeleton, nullptr, 0);
  const Bounds rest = rest_bounds(character);
  const glm::mat4 move = glm::translate(glm::mat4(1.0f), glm::vec3(5, 6, 7));
  for (glm::mat4& joint : joints) joint = move * joint;
  const Bounds moved = posed_bounds(character, {joints, {}});
  EXPECT_LT(glm::distance(moved.low, rest.low + glm::vec3(5, 6, 7)), 1e-3f);
  EXPECT_LT(glm::distance(moved.high, rest.high + glm::vec3(5, 6, 7)), 1e-3f);
}

// The tube is its own mirror image: only the winding of its triangles changes.
TEST_F(Renderers, LightMirroredTrianglesAlike) {
  const Image straight = render();
  scene_.items[0].world = glm::scale(glm::mat4(1.0f), glm::vec3(1, 1, -1));
  EXPECT_LT(difference(straight, render()), 0.01);
}

// Covers everything that a draw reads by vertex: two poses, edges, weights and texture coordinates.
TEST_F(Renderers, DrawTheSameWhereTheCrowdLeavesDriversOut) {
  Model model = test::make_tube({.around = 24, .along = 32});
  for (const glm::vec3& position : model.meshes[0].positions) {
    model.meshes[0].uvs.emplace_back(position.x / 8, position.y > 0 ? 0.0f : 1.0f);
  }
  model.meshes[0].parts[0].material = 0;
  model.materials.push_back({.name = "checks"});
  const Character character = test::bound(model, *rig_from_deformer_name("surface-ffd")).character;
  // The skin's vertices are not the character's first ones, but are the first ones of a crowd that leaves out drivers.
  ASSERT_TRUE(character->meshes.front().control);
  ASSERT_FALSE(character->meshes.back().control);

  const std::vector<std::uint8_t> pixels{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 0, 255};
  MaterialTextures textures;
  textures.images.push_back(
      test::must(upload_image(*gpu_device(), {.width = 2, .height = 2, .pixels = pixels}, "checks")));
  textures.materials.push_back({.image = 0});
  std::vector<float> weights(character->vertex_count());
  for (std::size_t v = 0; v < weights.size(); ++v) {
    weights[v] = static_cast<float>(v) / static_cast<float>(weights.size());
  }
  const std::array<glm::mat4, 1> below{glm::translate(glm::mat4(1.0f), glm::vec3(0, -2.5f, 0))};

  const auto draw = [&](bool control_meshes) {
    show(character, control_meshes);
    bend_second();
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
  show(test::bound_by(model, "linear-blend"));
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

  // Points next to triangles add to the picture.
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
  show(test::bound_by(both, "linear-blend"));
  Draws draws;
  append_draws(scene_.items[0], 0, make_geometry(**character_, nullptr).meshes, draws);
  ASSERT_EQ(draws.points.size(), 1u);
  EXPECT_EQ(draws.points[0].count, 2u);
  EXPECT_FALSE(draws.surfaces.empty());
}

TEST_F(Renderers, AddSamplesToThePictureOverSeveralRecordings) {
  add_ground();
  auto renderer = test::must(Renderer::create(*gpu_device(), kSmall));
  const auto whole = test::must(renderer.render(scene_));
  EXPECT_EQ(renderer.recorded_samples(), 4u);

  ASSERT_TRUE(renderer.set_scene(scene_));
  EXPECT_EQ(renderer.recorded_samples(), 0u);
  const Image half = record(renderer, 2);
  EXPECT_EQ(renderer.recorded_samples(), 2u);
  EXPECT_GT(difference(half, backdrop()), 0.1);
  EXPECT_LT(difference(half, whole), 0.3);  // as bright, but coarser
  EXPECT_EQ(record(renderer, 0).pixels, half.pixels);
  EXPECT_EQ(record(renderer, 1).pixels == half.pixels, false);
  EXPECT_EQ(record(renderer, 100).pixels, whole.pixels);
  EXPECT_EQ(renderer.recorded_samples(), 4u);
  EXPECT_EQ(record(renderer, 1).pixels, whole.pixels);

  // The samples start again with each scene.
  scene_.camera.eye.y += 1.0f;
  const auto moved = test::must(renderer.render(scene_));
  EXPECT_GT(difference(whole, moved), 0.03);
  EXPECT_EQ(moved.pixels, render().pixels);
}

TEST_F(Renderers, HaveAPictureBeforeAnythingIsDrawn) {
  auto renderer = test::must(Renderer::create(*gpu_device(), kSmall));
  EXPECT_FALSE(renderer.seconds());
  record(renderer, 0);
  EXPECT_EQ(record(renderer, 4).pixels, backdrop().pixels);
}

TEST_F(Renderers, ForgetTheSceneBeforeARefusedOne) {
  auto renderer = test::must(Renderer::create(*gpu_device(), kSmall));
  ASSERT_TRUE(renderer.set_scene(scene_));
  Scene wrong = scene_;
  wrong.items[0].instance = 2;
  ASSERT_FALSE(renderer.set_scene(wrong));
  EXPECT_EQ(record(renderer, 4).pixels, backdrop().pixels);
}

TEST_F(Renderers, TimeTheirPasses) {
  auto renderer = test::must(Renderer::create(*gpu_device(), kSmall));
  ASSERT_TRUE(renderer.render(scene_));
  const std::optional<PassSeconds> seconds = renderer.seconds();
  ASSERT_EQ(seconds.has_value(), runtime::GpuTimer::supported(*gpu_device()));
  if (!seconds) return;
  ASSERT_EQ(seconds->crowds.size(), 1u);
  const std::span<const std::string> passes = scene_.items[0].crowd->passes().names;
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

TEST(Geometries, ListEveryEdgeOnce) {
  EXPECT_TRUE(unique_edges({}).empty());
  const std::array<glm::uvec3, 4> tetrahedron{glm::uvec3(0, 1, 2), {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  const std::vector<glm::uvec2> edges = unique_edges(tetrahedron);
  EXPECT_THAT(edges, testing::ElementsAre(glm::uvec2(0, 1), glm::uvec2(0, 2), glm::uvec2(0, 3), glm::uvec2(1, 2),
                                          glm::uvec2(1, 3), glm::uvec2(2, 3)));
}

}  // namespace
}  // namespace pelt::samples
