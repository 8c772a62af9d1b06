// SPDX-License-Identifier: MIT
// The sample engine, under validation: its culling lists, motion vectors, picture, and a changing world.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include <pelt/evaluate.h>
#include <pelt/runtime/read_back.h>

#include "samples/engine/engine.h"
#include "tests/samples/read_png.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using samples::Engine;
using samples::EngineOptions;
using samples::GameBuffer;
using samples::GameDevice;
using samples::Image;
using samples::Scene;
using samples::Walking;
using testing::HasSubstr;

// Binds the four characters once for all tests, with few triangles.
const std::vector<Walking>& cast() {
  static const std::vector<Walking> made = [] {
    std::vector<Walking> all;
    for (std::uint32_t which = 0; which < samples::kBuiltInCharacters; ++which)
      all.push_back(test::must(samples::built_in_character(which, {.triangles = 900, .levels = {400, 150}})));
    return all;
  }();
  return made;
}

samples::GameDeviceOptions validated() {
  return {.select = {},
          .on_validation_message = [](const std::string& message) { ADD_FAILURE() << "validation: " << message; }};
}

EngineOptions small(std::uint32_t walkers) {
  EngineOptions options{.device = validated(),
                        .sizes = {.picture = {160, 90}, .shadow = 256},
                        .walkers = walkers,
                        .first = {},
                        .later = [] { return cast()[3]; }};
  for (std::size_t which = 0; which < 3; ++which) options.first.push_back([which] { return cast()[which]; });
  return options;
}

// Pixels of each kind in a picture.
struct Pixels {
  std::size_t red = 0, yellow = 0, green = 0, blue = 0, lit_ground = 0, shadow = 0;
};

Pixels count(const Image& image) {
  Pixels made;
  for (std::size_t i = 0; i < image.pixels.size(); i += 4) {
    const int r = image.pixels[i], g = image.pixels[i + 1], b = image.pixels[i + 2];
    made.red += r > g + 40 && g < b + 35 ? 1 : 0;
    made.yellow += r > b + 50 && g > b + 35 ? 1 : 0;
    made.green += g > r + 25 && g > b ? 1 : 0;
    made.blue += b > r + 45 ? 1 : 0;
    const bool grey = std::abs(r - g) < 14 && std::abs(g - b) < 20;
    made.lit_ground += grey && r > b && g > 170 ? 1 : 0;
    made.shadow += grey && b > r && g < 135 ? 1 : 0;
  }
  return made;
}

// The CPU's measures of a walker: how far the box, and the box swept along its shadow, reach into the view, metres at
// the nearest plane; negative: outside.
struct Reach {
  float box = 0;
  float shadow = 0;
};

Reach reach_of(const Engine& engine, const Scene::Walker& walker) {
  const runtime::Box box = test::must(runtime::read_bounds(engine.device().pelt(), engine.crowd(), *walker.instance));
  const shared::FrameRecord& frame = engine.frame_record();
  shared::CullConstants view;
  samples::set_planes(view, frame.clip_from_world);
  std::vector<glm::vec3> corners;
  float top = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const glm::vec3 at(corner & 1 ? box.greatest.x : box.least.x, corner & 2 ? box.greatest.y : box.least.y,
                       corner & 4 ? box.greatest.z : box.least.z);
    corners.emplace_back(walker.world * glm::vec4(at, 1.0f));
    top = std::max(top, corners.back().y);
  }
  Reach reach{1e30f, 1e30f};
  for (const glm::vec4& plane : view.planes) {
    float farthest = -1e30f, farthest_shadow = -1e30f;
    for (const glm::vec3& corner : corners) {
      const float inside = glm::dot(glm::vec3(plane), corner) + plane.w;
      const glm::vec3 moved = corner + frame.sun * (top / -frame.sun.y);
      farthest = std::max(farthest, inside);
      farthest_shadow = std::max({farthest_shadow, inside, glm::dot(glm::vec3(plane), moved) + plane.w});
    }
    reach.box = std::min(reach.box, farthest);
    reach.shadow = std::min(reach.shadow, farthest_shadow);
  }
  return reach;
}

// The planes themselves are not taken on trust: a point is inside of them if its clip coordinates are.
TEST(EngineCulling, PlanesAreThoseOfTheView) {
  const glm::mat4 clip_from_world(2, 0, 0, 0, 0, -3, 0, 0, 0.1f, 0, -1.01f, -1, 0, 0.5f, -0.1f, 0);
  shared::CullConstants view;
  samples::set_planes(view, clip_from_world);
  for (int i = 0; i < 1000; ++i) {
    const glm::vec3 at = 0.01f * glm::vec3(i * 37 % 401 - 200, i * 91 % 307 - 153, i * 53 % 503 - 400);
    const glm::vec4 clip = clip_from_world * glm::vec4(at, 1.0f);
    const bool inside = std::abs(clip.x) <= clip.w && std::abs(clip.y) <= clip.w && clip.z >= 0 && clip.z <= clip.w;
    const bool found = std::all_of(std::begin(view.planes), std::end(view.planes), [&](const glm::vec4& plane) {
      return glm::dot(glm::vec3(plane), at) + plane.w >= 0;
    });
    EXPECT_EQ(found, inside) << i;
  }
}

class EngineSample : public testing::Test {
 protected:
  void SetUp() override { PELT_REQUIRE_GPU(test::gpu_device()); }

  // Runs frames; the last of them is captured, and done.
  static void run(Engine& engine, int frames, float seconds) {
    for (int frame = 0; frame < frames; ++frame) test::must(engine.frame(seconds, frame + 1 == frames));
    test::must(engine.finish());
  }

  static std::map<std::uint32_t, std::vector<glm::vec3>> positions(const Engine& engine) {
    std::map<std::uint32_t, std::vector<glm::vec3>> all;
    for (const Scene::Walker& walker : engine.scene().walkers())
      all[*walker.instance] =
          test::must(runtime::read_vertices(engine.device().pelt(), engine.crowd(), *walker.instance)).positions;
    return all;
  }
};

TEST_F(EngineSample, CullsAsTheCpuDoes) {
  EngineOptions options = small(120);
  options.device.one_queue = true;  // outputs are read back from it
  const auto engine = test::must(Engine::create(options));
  std::size_t unseen = 0, shadow_alone = 0, seen = 0, fading = 0;
  for (int round = 0; round < 6; ++round) {
    run(*engine, 3, 0.3f);
    const std::vector<std::uint32_t> listed = test::must(engine->culling().read_drawn(engine->device()));
    const std::set<std::uint32_t> drawn(listed.begin(), listed.end());
    EXPECT_EQ(drawn.size(), listed.size()) << "none is listed twice";
    std::map<std::uint32_t, std::map<std::int32_t, std::uint32_t>> draws;  // by instance: first vertex, indices
    for (const shared::DrawRecord& draw :
         test::must(engine->culling().read_draws(engine->device(), engine->last_slot()))) {
      EXPECT_EQ(draw.instance_count, 1u);
      EXPECT_TRUE(draws[draw.instance / shared::kMaxMeshes].emplace(draw.vertex_offset, draw.index_count).second)
          << "drawn twice";
    }
    for (const Scene::Walker& walker : engine->scene().walkers()) {
      ASSERT_TRUE(walker.instance);
      const std::uint32_t i = *walker.instance;
      const Reach reach = reach_of(*engine, walker);
      if (std::min(std::abs(reach.box), std::abs(reach.shadow)) < 1e-4f) continue;  // either is right
      EXPECT_EQ(drawn.contains(i), reach.shadow > 0) << i;
      EXPECT_EQ(draws.contains(i), reach.box > 0) << i;
      unseen += reach.shadow < 0 ? 1 : 0;
      shadow_alone += reach.shadow > 0 && reach.box < 0 ? 1 : 0;
      if (reach.box < 0) continue;
      ++seen;
      // The draws are those of the levels that the crowd moves.
      const runtime::ShownLevels shown = engine->scene().shown_levels(i);
      fading += shown.from != shown.to ? 1 : 0;
      const Character& character = engine->scene().kinds()[walker.kind].walking.character;
      std::map<std::int32_t, std::uint32_t> wanted;
      for (const std::uint32_t level : {shown.from, shown.to}) {
        for (std::uint32_t m = 0; m < character->meshes.size(); ++m) {
          std::uint32_t first = engine->crowd().member(engine->crowd().instance(i)->character)->mesh_vertices[m];
          if (first == pelt::shared::kNoIndex) continue;
          const CharacterMesh* skin = &character->meshes[m];
          for (std::uint32_t l = 0; l < character->levels.size(); ++l) {
            if (character->levels[l].of != m || character->levels[l].level != level) continue;
            skin = &character->levels[l].skin;
            first = engine->crowd().member(engine->crowd().instance(i)->character)->level_vertices[l];
          }
          wanted[static_cast<std::int32_t>(engine->crowd().instance(i)->first_vertex + first)] =
              static_cast<std::uint32_t>(3 * skin->triangles.size());
        }
      }
      EXPECT_EQ(draws[i], wanted) << i;
    }
  }
  EXPECT_GT(unseen, 20u);
  EXPECT_GT(shadow_alone, 0u);
  EXPECT_GT(seen, 100u);
  EXPECT_GT(fading, 0u);
}

TEST_F(EngineSample, LeavesSkinsAloneThatAreNotSeen) {
  EngineOptions options = small(60);
  options.device.one_queue = true;  // outputs are read back from it
  const auto engine = test::must(Engine::create(options));
  run(*engine, 1, 0.05f);
  const auto before = positions(*engine);
  std::set<std::uint32_t> stayed;
  for (const Scene::Walker& walker : engine->scene().walkers()) stayed.insert(*walker.instance);
  run(*engine, 3, 0.001f);  // to the same slot
  ASSERT_EQ(engine->scene().events().left, 0u);
  const std::vector<std::uint32_t> listed = test::must(engine->culling().read_drawn(engine->device()));
  const std::set<std::uint32_t> drawn(listed.begin(), listed.end());
  std::size_t moved = 0, left_alone = 0;
  for (const auto& [instance, now] : positions(*engine)) {
    const bool same = now == before.at(instance);
    EXPECT_EQ(same, !drawn.contains(instance)) << instance;
    (same ? left_alone : moved) += 1;
  }
  EXPECT_GT(moved, 20u);
  EXPECT_GT(left_alone, 3u);
}

TEST_F(EngineSample, PosesThoseFarAwaySeldom) {
  EngineOptions options = small(200);
  options.device.one_queue = true;  // outputs are read back from it
  options.seldom = true;
  const auto engine = test::must(Engine::create(options));
  run(*engine, 2, 0.001f);
  const auto before = positions(*engine);
  run(*engine, 1, 0.001f);
  const auto now = positions(*engine);
  std::map<bool, std::size_t> moved, stayed;  // those beyond level 0: true
  for (const std::uint32_t instance : test::must(engine->culling().read_drawn(engine->device()))) {
    const bool far = engine->scene().shown_levels(instance).to > 0;
    ++(now.at(instance) == before.at(instance) ? stayed : moved)[far];
  }
  EXPECT_GT(moved[false], 20u);
  EXPECT_EQ(stayed[false], 0u);
  EXPECT_GT(moved[true], 5u);
  EXPECT_GT(stayed[true], 5u);
}

// Motion vectors are zero for unmoved pixels, and equal the CPU's for moved ones.
TEST_F(EngineSample, KnowsHowPixelsMove) {
  EngineOptions options = small(6);
  options.sizes.picture = {480, 270};
  options.later = nullptr;
  const auto engine = test::must(Engine::create(options));
  const glm::vec2 size(480, 270);
  run(*engine, 4, 0.05f);
  const std::vector<glm::vec2> motion = engine->motion();
  const auto still = std::count(motion.begin(), motion.end(), glm::vec2(0.0f));
  EXPECT_GT(still, 480 * 270 / 4) << "the ground and the sky";

  std::size_t compared = 0, right = 0;
  float largest = 0;
  for (const Scene::Walker& walker : engine->scene().walkers()) {
    const Character& character = engine->scene().kinds()[walker.kind].walking.character;
    const Character shown = character.at_level(engine->scene().shown_levels(*walker.instance).to);
    if (engine->scene().shown_levels(*walker.instance).share < 1 || !walker.previous_world) continue;
    Evaluator now(shown), then(shown);
    now.pose(engine->scene().joints_of(walker));
    then.pose(engine->scene().joints_of(walker, 1));
    now.evaluate();
    then.evaluate();
    const auto pixel = [&](const glm::mat4& clip_from_world, const glm::mat4& world, glm::vec3 position) {
      const glm::vec4 clip = clip_from_world * world * glm::vec4(position, 1.0f);
      return clip.w < 0.1f ? glm::vec2(-1e6f) : (glm::vec2(clip) / clip.w * 0.5f + 0.5f) * size;
    };
    const shared::FrameRecord& frame = engine->frame_record();
    for (const CharacterMesh& mesh : shown->meshes) {
      if (mesh.control) continue;
      for (std::uint32_t v = mesh.first_vertex; v < mesh.first_vertex + mesh.vertex_count(); ++v) {
        const glm::vec3 world_position(walker.world * glm::vec4(now.positions()[v], 1.0f));
        const glm::vec3 normal = glm::mat3(walker.world) * now.normals()[v];
        if (glm::dot(normal, glm::normalize(frame.eye - world_position)) < 0.5f) continue;  // it faces the eye
        const glm::vec2 at = pixel(frame.clip_from_world, walker.world, now.positions()[v]);
        const glm::vec2 was = pixel(frame.previous_clip_from_world, *walker.previous_world, then.positions()[v]);
        if (at.x < 0 || at.y < 0 || at.x >= size.x || at.y >= size.y) continue;
        const glm::vec2 found = motion[static_cast<std::size_t>(at.y) * 480 + static_cast<std::size_t>(at.x)];
        ++compared;
        largest = std::max(largest, glm::length(at - was));
        // Within a pixel the motion changes a little.
        right += glm::distance(found, at - was) < 0.05f * glm::length(at - was) + 0.15f ? 1 : 0;
      }
    }
  }
  EXPECT_GT(compared, 200u);
  EXPECT_GT(largest, 3.0f);
  EXPECT_GT(static_cast<double>(right), 0.85 * static_cast<double>(compared)) << "others hide the rest";

  run(*engine, 2, 0.0f);
  for (const glm::vec2& vector : engine->motion()) ASSERT_LT(glm::length(vector), 1e-3f);
}

// A world of 60 lives for 120 frames: walkers leave and come, and a character joins.
TEST_F(EngineSample, Lives) {
  const auto engine = test::must(Engine::create(small(60)));
  const std::size_t pieces = engine->device().memory().pieces();
  run(*engine, 20, 0.1f);
  EXPECT_EQ(engine->scene().kinds().size() == 3, !engine->statistics().joined);
  engine->wait_for_later();
  run(*engine, 100, 0.1f);
  const samples::EngineStatistics& statistics = engine->statistics();
  EXPECT_EQ(statistics.frames, 120u);
  ASSERT_TRUE(statistics.joined) << "the later character";
  EXPECT_GT(statistics.upload_frames, 1u) << "in parts";
  const Scene::Events& events = engine->scene().events();
  EXPECT_GT(events.left, 30u);
  EXPECT_EQ(events.came, events.left + 60);
  EXPECT_EQ(events.waited, 0u);
  const runtime::CrowdRooms rooms = engine->crowd().rooms();
  EXPECT_EQ(rooms.instances.free, rooms.instances.capacity - 60);
  EXPECT_EQ(statistics.last.seen, statistics.last.shown[0] + statistics.last.shown[1] + statistics.last.shown[2]);
  EXPECT_GE(statistics.seen, 120u * 20);
  EXPECT_LE(statistics.drawn, 120u * 60);
  EXPECT_LE(engine->device().memory().pieces(), pieces + 1) << "frames take no memory";

  const Pixels pixels = count(engine->picture());
  for (const std::size_t colored : {pixels.red, pixels.yellow, pixels.green, pixels.blue}) EXPECT_GT(colored, 60u);
  EXPECT_GT(pixels.lit_ground, 400u);
  EXPECT_GT(pixels.shadow, 150u);
}

TEST_F(EngineSample, WaitsNoLongerThanItSays) {
  const auto device = test::must(GameDevice::create(validated()));
  const auto timeline = test::must(samples::Timeline::create(*device, "drawing"));
  EXPECT_EQ(test::error_of(timeline.wait(*device, 7, std::chrono::milliseconds(20))),
            "drawing of frame 7 has not finished after 0.02 s");
}

TEST(EngineProgram, DrawsAndSaysWhatItDid) {
  PELT_REQUIRE_GPU(test::gpu_device());
  const test::TemporaryFolder folder;
  const test::Outcome outcome = test::run_program(PELT_GAME,
                                                  "--instances 40 --frames 4 --size 320x180 --shadow 512 --triangles "
                                                  "900 --props --validation -o a.png --motion b.png",
                                                  folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("40 walkers on "));
  EXPECT_THAT(outcome.output, HasSubstr("4 frames: mean "));
  EXPECT_THAT(outcome.output, HasSubstr("in view at level 0"));
  EXPECT_THAT(outcome.output, HasSubstr("palette entries"));
  for (const char* name : {"a.png", "b.png"}) {
    const std::optional<Image> image = test::read_png(folder / name);
    ASSERT_TRUE(image) << name;
    EXPECT_EQ(image->width, 320u);
    EXPECT_EQ(image->height, 180u);
  }
}

TEST(EngineProgram, NamesWhatIsWrong) {
  const test::TemporaryFolder folder;
  const test::Outcome none = test::run_program(PELT_GAME, "none.pelt", folder.path());
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.errors, HasSubstr("none.pelt"));
  const test::Outcome device = test::run_program(PELT_GAME, "--device no-such-card", folder.path());
  EXPECT_EQ(device.status, 1);
  EXPECT_THAT(device.errors, HasSubstr("no Vulkan device called 'no-such-card'"));
  EXPECT_EQ(test::run_program(PELT_GAME, "--size 320", folder.path()).status, 2);
}

}  // namespace
}  // namespace pelt
