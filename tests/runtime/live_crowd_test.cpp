// SPDX-License-Identifier: MIT
// Tests crowds whose instances and characters come and go while they run.
#include <gmock/gmock.h>

#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include <pelt/evaluate.h>
#include <pelt/linear_fit.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/mistake.h>
#include <pelt/runtime/transfer.h>
#include <pelt/shaders/jobs.h>

#include "runtime/device_internals.h"
#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

class LiveCrowds : public MixedCrowds {
 protected:
  // Returns options of a crowd that is empty at first, with room for so many instances of each character.
  CrowdOptions empty_with_room(std::uint32_t of_each) const {
    CrowdOptions options{.instances = {0, 0, 0}, .frames_in_flight = 2};
    options.outputs.previous_positions.format = VertexFormat::kFloat;
    for (const Character& character : characters_) options.capacity += capacity_of(character, of_each, options.outputs);
    return options;
  }
  static void expect_all_free(const Crowd& crowd) {
    const CrowdRooms rooms = crowd.rooms();
    for (const CrowdRoom& room :
         {rooms.instances, rooms.vertices, rooms.palette_entries, rooms.driver_vertices, rooms.joints, rooms.inputs}) {
      EXPECT_EQ(room.free, room.capacity);
      EXPECT_EQ(room.largest_free, room.capacity);
    }
  }
};

// Instances are acquired, released, posed, hidden and shown at random; whoever is shown stands where it was posed last,
// and no two of them have a vertex in common.
TEST_F(LiveCrowds, MoveWhoIsThere) {
  Crowd crowd = make(empty_with_room(4));
  std::mt19937 random(11);
  struct Known {
    std::size_t pose = 0;
    bool posed = false;
    bool visible = true;
    bool moved = false;
  };
  std::map<std::uint32_t, Known> known;
  std::size_t pose = 0;
  for (int frame = 0; frame < 120; ++frame) {
    for (int change = 0; change < 4; ++change) {
      const auto any = [&] { return std::next(known.begin(), std::ptrdiff_t(random() % known.size())); };
      const std::size_t what = known.empty() ? 0 : random() % 5;
      if (what <= 1) {
        const Result<std::uint32_t> acquired = crowd.acquire(static_cast<std::uint32_t>(random() % 3));
        if (!acquired) continue;
        EXPECT_TRUE(known.emplace(*acquired, Known{}).second) << "a number twice";
      } else if (what == 2) {
        crowd.release(any()->first);
        for (auto i = known.begin(); i != known.end();)
          i = crowd.has_instance(i->first) ? std::next(i) : known.erase(i);
      } else if (what == 3) {
        const auto one = any();
        one->second.pose = ++pose;
        one->second.posed = true;
        crowd.pose(one->first, moved(bind_joints_, motion(pose)));
      } else {
        const auto one = any();
        one->second.visible = !one->second.visible;
        if (one->second.visible) {
          EXPECT_TRUE(crowd.take_outputs(one->first));
        }
        crowd.show(one->first, one->second.visible);
        if (!one->second.visible && random() % 2 == 0) crowd.give_outputs(one->first);
      }
    }
    ASSERT_TRUE(run(*gpu_device(), crowd));
    std::map<std::uint32_t, std::uint32_t> vertices;
    for (const auto& [instance, own] : known) {
      if (!crowd.has_outputs(instance)) continue;
      vertices[crowd.first_vertex(instance)] = crowd.vertex_count(instance);
      if (!own.visible) continue;
      const Character& character = characters_[crowd.character_of(instance)];
      const glm::mat4 wanted = own.posed ? motion(own.pose) : glm::mat4(1);
      ASSERT_LT(worst_distance(rest_skin(character), wanted, positions(crowd, instance)), 1e-5f * character.size())
          << "instance " << instance << " in frame " << frame;
    }
    std::uint32_t end = 0;
    for (const auto& [first, count] : vertices) {
      EXPECT_GE(first, end);
      end = first + count;
    }
  }
  while (!known.empty()) {
    crowd.release(known.begin()->first);
    known.erase(known.begin());
  }
  expect_all_free(crowd);
}

// An instance that takes another's number and room has no motion from it.
TEST_F(LiveCrowds, RememberNothingOfWhoWasThere) {
  Crowd crowd = make(empty_with_room(1));
  const std::uint32_t first = test::must(crowd.acquire(1));
  crowd.update_every(first, 7);
  crowd.detail(first, Detail::kReduced);
  crowd.pose(first, moved(bind_joints_, motion(3)));
  ASSERT_TRUE(run(*gpu_device(), crowd));
  crowd.release(first);
  const std::uint32_t second = test::must(crowd.acquire(1));
  EXPECT_EQ(second, first);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  const InstanceVertices rest = read(crowd, second);
  EXPECT_LT(worst_distance(rest_skin(characters_[1]), glm::mat4(1), rest.positions), 1e-5f * characters_[1].size());
  EXPECT_EQ(rest.previous_positions, rest.positions);
  for (std::size_t frame = 0; frame < 3; ++frame) {
    crowd.pose(second, moved(bind_joints_, motion(frame)));
    ASSERT_TRUE(run(*gpu_device(), crowd));
    EXPECT_LT(off(crowd, second, frame), 1e-5f) << "moved in every frame";
  }
}

// Threads that acquire, pose and release their own instances at once end with what one of them would have.
TEST_F(LiveCrowds, ComeAndGoOnSeveralThreads) {
  Crowd crowd = make(empty_with_room(16));
  std::mutex mutex;
  std::map<std::uint32_t, std::size_t> kept;
  const auto play = [&](std::uint32_t seed) {
    std::mt19937 random(seed);
    std::map<std::uint32_t, std::size_t> own;
    for (int step = 0; step < 500; ++step) {
      if (own.size() < 8 && random() % 2 == 0) {
        const Result<std::uint32_t> instance = crowd.acquire(static_cast<std::uint32_t>(random() % 3));
        if (!instance) continue;
        const std::size_t pose = random() % 100;
        crowd.pose(*instance, moved(bind_joints_, motion(pose)));
        own[*instance] = pose;
      } else if (!own.empty()) {
        crowd.release(own.begin()->first);
        own.erase(own.begin());
      }
    }
    const std::lock_guard lock(mutex);
    for (const auto& [instance, pose] : own) EXPECT_TRUE(kept.emplace(instance, pose).second) << "two have it";
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t seed = 0; seed < 4; ++seed) threads.emplace_back(play, seed);
  }
  EXPECT_EQ(crowd.rooms().instances.free, crowd.rooms().instances.capacity - kept.size());
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (const auto& [instance, pose] : kept) EXPECT_LT(off(crowd, instance, pose), 1e-5f);
}

// What is said of room stays true in a million acquisitions, and none fails for want of a piece while an eighth of the
// room is free.
TEST_F(LiveCrowds, StayFlatInAMillionAcquisitions) {
  Crowd crowd = make(empty_with_room(64));
  std::mt19937 random(2);
  std::vector<std::uint32_t> taken;
  for (int step = 0; step < 1000000; ++step) {
    const CrowdRooms rooms = step % 1000 == 0 ? crowd.rooms() : CrowdRooms{};
    ASSERT_EQ(rooms.instances.capacity == 0 ? 192 - taken.size() : rooms.instances.free, 192 - taken.size());
    // Of each character at most 64, and of all as many as leave an eighth free.
    const auto number = static_cast<std::uint32_t>(random() % 3);
    if (taken.size() < 168) {
      const Result<std::uint32_t> acquired = crowd.acquire(number);
      if (acquired) {
        taken.push_back(*acquired);
        continue;
      }
      const CrowdRooms full = crowd.rooms();
      ASSERT_LT(std::min(full.palette_entries.free * 8 / full.palette_entries.capacity,
                         full.vertices.free * 8 / full.vertices.capacity),
                1u)
          << acquired.error().message;
    }
    const std::size_t which = random() % taken.size();
    crowd.release(taken[which]);
    taken[which] = taken.back();
    taken.pop_back();
  }
  for (const std::uint32_t instance : taken) crowd.release(instance);
  expect_all_free(crowd);
}

TEST_F(LiveCrowds, SayWhatThereIsNoRoomFor) {
  CrowdOptions options{.instances = {1, 0, 1}};
  Crowd crowd = make(options);
  EXPECT_THAT(crowd.acquire(0).error().message, testing::HasSubstr("has 2 of 2"));
  EXPECT_THAT(crowd.acquire(9).error().message, testing::HasSubstr("has no character 9"));
  options.capacity = capacity_of(characters_[0], 9);
  options.capacity.vertices = 0;
  Crowd larger = make(options);
  const CrowdRooms before = larger.rooms();
  const Result<std::uint32_t> full = larger.acquire(0);
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().message, testing::AllOf(testing::HasSubstr("an instance of 'tube' takes"),
                                                   testing::HasSubstr("there are 0 free")));
  EXPECT_EQ(larger.rooms().palette_entries.free, before.palette_entries.free) << "nothing is kept";
  const std::uint32_t hidden = test::must(larger.acquire(0, false));
  EXPECT_FALSE(larger.has_outputs(hidden));
  EXPECT_FALSE(larger.take_outputs(hidden));
  larger.show(0, false);
  larger.give_outputs(0);
  ASSERT_TRUE(larger.take_outputs(hidden));
  larger.show(hidden, true);
  larger.pose(hidden, moved(bind_joints_, motion(5)));
  ASSERT_TRUE(run(*gpu_device(), larger));
  EXPECT_LT(off(larger, hidden, 5), 1e-5f);
}

// A character is added between frames, is moved beside the others, and goes again; the next takes its number and room.
TEST_F(LiveCrowds, LearnOfCharacters) {
  const std::vector<Character> first{characters_[0]};
  const VkDeviceSize room = GpuCharacters::bytes_of(characters_[1]);
  GpuCharacters gpu = test::must(upload(
      *gpu_device(), first,
      {.capacity = GpuCharacters::bytes_of(characters_[0]) + std::max(room, GpuCharacters::bytes_of(characters_[2]))}));
  CrowdOptions options{.instances = {1}};
  options.outputs.bounds = true;
  for (const Character& character : characters_) options.capacity += capacity_of(character, 2, options.outputs);
  Crowd crowd = test::must(Crowd::create(*gpu_device(), gpu, options));
  const VkDeviceSize free_bytes = gpu.free_bytes();
  EXPECT_THAT(crowd.add(*gpu_device(), 1).error().message, testing::HasSubstr("told of character 1"));
  for (std::size_t turn = 1; turn < 5; ++turn) {
    const Character& character = characters_[1 + turn % 2];
    ASSERT_TRUE(crowd.prepare(*gpu_device(), std::span(&character, 1)));
    const std::size_t pipelines = gpu_device()->internals().pipelines.size();
    const std::uint32_t number = test::must(gpu.add(*gpu_device(), character));
    EXPECT_EQ(number, 1u);
    EXPECT_FALSE(gpu.add(*gpu_device(), characters_[1])) << "there is room for one";
    ASSERT_TRUE(
        submit_and_wait(*gpu_device(), "upload", [&](VkCommandBuffer commands) { gpu.record_upload(commands); }));
    gpu.finish_upload();
    EXPECT_FALSE(test::must(Crowd::create(*gpu_device(), gpu, {.instances = {1}})).has_character(number));
    ASSERT_TRUE(crowd.add(*gpu_device(), number));
    EXPECT_EQ(gpu_device()->internals().pipelines.size(), pipelines) << "prepared";
    const std::uint32_t instance = test::must(crowd.acquire(number));
    for (std::size_t frame = 0; frame < 2; ++frame) {
      crowd.pose(0, moved(bind_joints_, motion(turn + frame)));
      crowd.pose(instance, moved(bind_joints_, motion(9 * turn + frame)));
      ASSERT_TRUE(run(*gpu_device(), crowd));
      EXPECT_LT(off(crowd, 0, turn + frame), 1e-5f);
      EXPECT_LT(worst_distance(rest_skin(character), motion(9 * turn + frame), positions(crowd, instance)),
                1e-5f * character.size());
    }
    crowd.release(instance);
    crowd.remove(number);
    EXPECT_FALSE(crowd.has_character(number));
    EXPECT_FALSE(crowd.acquire(number));
    ASSERT_TRUE(run(*gpu_device(), crowd));
    gpu.remove(number);
    EXPECT_EQ(gpu.free_bytes(), free_bytes);
  }
  Crowd small = test::must(Crowd::create(*gpu_device(), gpu, {.instances = {1, 0}}));
  EXPECT_EQ(test::must(gpu.add(*gpu_device(), characters_[1])), 1u);
  EXPECT_THAT(small.add(*gpu_device(), 1).error().message, testing::HasSubstr("there is room for"));
  EXPECT_FALSE(small.has_character(1));
  ASSERT_TRUE(run(*gpu_device(), small)) << "it goes on as it was";
}

// An upload in small parts, for a frame's time each, is the upload of the whole.
TEST_F(LiveCrowds, AreUploadedInParts) {
  GpuCharacters gpu = test::must(GpuCharacters::create(*gpu_device(), characters_));
  VkDeviceSize left = gpu.bytes();
  while (left > 0) {
    const VkDeviceSize before = left;
    ASSERT_TRUE(submit_and_wait(*gpu_device(), "part",
                                [&](VkCommandBuffer commands) { left = gpu.record_upload(commands, 1000); }));
    gpu.finish_upload();
    EXPECT_LE(before - left, left == 0 ? 1000 + 3 * 48 : 1000u);
    EXPECT_LT(left, before);
  }
  Crowd crowd = test::must(Crowd::create(*gpu_device(), gpu));
  pose_all(crowd);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_LT(off(crowd, i, i), 1e-5f) << i;
}

// Frames run while a character is uploaded in parts, in the same commands: the validation layer, for which a frame
// reads all bind data that it binds, has nothing to say.
TEST_F(LiveCrowds, MoveWhileOthersAreUploadedInParts) {
  const std::vector<Character> first{characters_[0]};
  GpuCharacters gpu = test::must(
      upload(*gpu_device(), first,
             {.capacity = 2 * GpuCharacters::bytes_of(characters_[0]) + GpuCharacters::bytes_of(characters_[1])}));
  Crowd crowd = test::must(Crowd::create(*gpu_device(), gpu));
  ASSERT_TRUE(gpu.add(*gpu_device(), characters_[1]));
  VkDeviceSize left = 1;
  for (std::size_t frame = 0; left > 0; ++frame) {
    ASSERT_LT(frame, 100u);
    crowd.pose(0, moved(bind_joints_, motion(frame)));
    ASSERT_TRUE(submit_and_wait(*gpu_device(), "part and frame", [&](VkCommandBuffer commands) {
      left = gpu.record_upload(commands, 1000);
      crowd.record(commands);
    }));
    EXPECT_LT(off(crowd, 0, frame), 1e-5f);
  }
}

// Matrices of the caller's, a list of the caller's: places are asked for, and who is not there is not moved.
TEST_F(LiveCrowds, TellWhereTheyReadMatricesOfTheCallers) {
  const Buffer joints = test::must(Buffer::create(
      *gpu_device(),
      {.size = 4096, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, .memory = MemoryUse::kStream, .name = "joints"}));
  const Buffer list = test::must(Buffer::create(
      *gpu_device(),
      {.size = 4096, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, .memory = MemoryUse::kStream, .name = "list"}));
  CrowdOptions options = empty_with_room(2);
  options.joints = {joints.handle()};
  options.visible = {list.handle()};
  Crowd crowd = make(options);
  std::vector<std::uint32_t> instances;
  for (const std::uint32_t character : {2u, 0u, 1u, 0u}) instances.push_back(test::must(crowd.acquire(character)));
  crowd.release(instances[0]);
  std::vector<std::uint32_t> words{4};
  for (const std::uint32_t instance : instances) words.insert(words.end(), {instance, shared::kEntryTeleport});
  std::memcpy(list.mapped(), words.data(), words.size() * sizeof(std::uint32_t));
  list.flush(0, list.size());
  for (std::size_t i = 1; i < 4; ++i) {
    const std::vector<glm::mat4> own = moved(bind_joints_, motion(i));
    std::memcpy(joints.mapped() + crowd.first_joint(instances[i]) * sizeof(glm::mat4), own.data(),
                own.size() * sizeof(glm::mat4));
  }
  joints.flush(0, joints.size());
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LT(off(crowd, instances[i], i), 1e-5f) << i;
}

// A tube with levels 1 and 3, and another mesh without.
class LevelledCrowds : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    Model model = test::make_tube({.around = 16, .along = 32});
    for (const std::uint32_t level : {1u, 3u}) {
      MeshLevel made{0, level, test::make_tube_mesh({.around = 16 - 2 * level, .along = 24 - 4 * level})};
      made.mesh.name = "tube_LOD" + std::to_string(level);
      model.levels.push_back(std::move(made));
    }
    model.meshes.push_back(test::make_tube_mesh({.around = 5, .along = 7, .radius = 0.5f}));
    model.meshes.back().name = "inner";
    character_.emplace(test::bound_by(model, "dual_quaternion"));
    gpu_.emplace(upload_character(*character_));
  }
  // Returns where the CPU moves the skins at a level, mesh after mesh.
  std::vector<glm::vec3> wanted(std::uint32_t level, std::size_t pose) const {
    Evaluator evaluator(character_->at_level(level));
    evaluator.pose(joints(pose));
    evaluator.evaluate();
    return {evaluator.positions().begin(), evaluator.positions().end()};
  }
  std::vector<glm::mat4> joints(std::size_t pose) const { return moved(bent_joints(), motion(pose)); }
  // Returns the largest distance of what the crowd has at a level from what it should.
  float off(const Crowd& crowd, std::uint32_t level, std::size_t pose) {
    return std::max(off_level(crowd, level, pose, false), off_inner(crowd, pose, false));
  }
  // The same of previous positions; those of the mesh without levels are of another pose.
  float off_before(const Crowd& crowd, std::uint32_t level, std::size_t pose, std::size_t inner_pose) {
    return std::max(off_level(crowd, level, pose, true), off_inner(crowd, inner_pose, true));
  }
  float off_inner(const Crowd& crowd, std::size_t pose, bool previous) {
    const InstanceVertices all = test::must(read_vertices(*gpu_device(), crowd, 0));
    const std::vector<glm::vec3>& got = previous ? all.previous_positions : all.positions;
    const std::vector<glm::vec3> expected = wanted(0, pose);
    const std::uint32_t first = *crowd.mesh_vertex(0, 1);
    const std::uint32_t count = (*character_)->meshes[1].vertex_count();
    float worst = 0;
    for (std::uint32_t v = 0; v < count; ++v)
      worst = std::max(worst, glm::distance(got[first + v], expected[expected.size() - count + v]));
    return worst / character_->size();
  }
  float off_level(const Crowd& crowd, std::uint32_t level, std::size_t pose, bool previous) {
    const InstanceVertices all = test::must(read_vertices(*gpu_device(), crowd, 0));
    const std::vector<glm::vec3>& got = previous ? all.previous_positions : all.positions;
    const std::vector<glm::vec3> expected = wanted(level, pose);
    std::uint32_t first = *crowd.mesh_vertex(0, 0);
    std::uint32_t count = (*character_)->meshes[0].vertex_count();
    for (std::uint32_t l = 0; l < (*character_)->levels.size(); ++l) {
      if ((*character_)->levels[l].level > level) continue;
      first = crowd.level_vertex(0, l);
      count = (*character_)->levels[l].skin.vertex_count();
    }
    float worst = 0;
    for (std::uint32_t v = 0; v < count; ++v) worst = std::max(worst, glm::distance(got[first + v], expected[v]));
    return worst / character_->size();
  }
  Crowd make(CrowdOptions options = {}) {
    options.outputs.previous_positions.format = VertexFormat::kFloat;
    options.outputs.normal_mode = NormalMode::kBlended;
    return test::must(Crowd::create(*gpu_device(), *gpu_, options));
  }
  void frame(Crowd& crowd, std::size_t pose) {
    crowd.pose(0, joints(pose));
    ASSERT_TRUE(run(*gpu_device(), crowd));
  }

  static constexpr float kNear = 1e-5f;
  static constexpr float kFar = 1e-2f;
  std::optional<Character> character_;
  std::optional<GpuCharacters> gpu_;
};

TEST_F(LevelledCrowds, MoveTheLevelThatIsShownAlone) {
  Crowd crowd = make();
  frame(crowd, 0);
  EXPECT_LT(off(crowd, 0, 0), kNear);
  std::size_t pose = 0;
  for (const std::uint32_t level : {1u, 2u, 0u, 3u, 63u}) {
    crowd.level(0, level);
    const bool new_mesh = level != 2 && level != 63;
    for (int step = 0; step < 2; ++step) {
      frame(crowd, ++pose);
      EXPECT_LT(off(crowd, level, pose), kNear) << level;
      EXPECT_LT(off_before(crowd, level, pose - (step == 0 && new_mesh ? 0 : 1), pose - 1), kNear)
          << level << ", step " << step;
      for (const std::uint32_t other : {0u, 1u, 3u}) {
        const bool shown = other == level || (other == 1 && level == 2) || (other == 3 && level == 63);
        if (!shown) {
          EXPECT_GT(off_level(crowd, other, pose, false), kFar) << other << " at " << level;
        }
      }
    }
    EXPECT_EQ(crowd.shown_levels(0).from, crowd.shown_levels(0).to);
  }
}

TEST_F(LevelledCrowds, MoveBothLevelsWhileTheyFade) {
  for (const std::uint32_t slots : {1u, 2u}) {
    CrowdOptions options;
    options.outputs.slots = slots;
    Crowd crowd = make(options);
    for (std::size_t pose = 0; pose < slots; ++pose) frame(crowd, pose);
    crowd.level(0, 3, 2);
    std::vector<float> shares;
    for (std::size_t pose = slots; pose < 6; ++pose) {
      frame(crowd, pose);
      const ShownLevels shown = crowd.shown_levels(0);
      shares.push_back(shown.share);
      EXPECT_LT(off(crowd, 3, pose), kNear) << pose;
      EXPECT_EQ(off_level(crowd, 0, pose, false) < kNear, shown.from == 0) << pose;
      EXPECT_EQ(shown.to, 3u);
      if (slots == 1) {
        EXPECT_LT(off_before(crowd, 3, pose == slots ? pose : pose - 1, pose - 1), kNear) << pose;
      }
      EXPECT_EQ(crowd.previous_slot(0) == crowd.output_slot(), slots == 1 || pose == slots);
    }
    ASSERT_GE(shares.size(), 3u);
    EXPECT_NEAR(shares[0], 1.0f / 3, 1e-5f);
    EXPECT_NEAR(shares[1], 2.0f / 3, 1e-5f);
    EXPECT_EQ(shares[2], 1.0f);
  }
}

// An instance that stands still is moved for its new level, and a list of the caller's says the same in its states.
TEST_F(LevelledCrowds, ChangeTheLevelOfWhoStandsStill) {
  Crowd crowd = make();
  frame(crowd, 4);
  crowd.update_every(0, 0);
  crowd.level(0, 1);
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(off(crowd, 1, 4), kNear);

  const Buffer list = test::must(Buffer::create(
      *gpu_device(),
      {.size = 64, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, .memory = MemoryUse::kStream, .name = "list"}));
  Crowd listed = make({.visible = {list.handle()}});
  for (const std::uint32_t level : {3u, 1u}) {
    const std::uint32_t words[] = {1, 0, shared::kEntryTeleport | shared::entry_levels(level, level)};
    std::memcpy(list.mapped(), words, sizeof(words));
    list.flush(0, list.size());
    frame(listed, level);
    EXPECT_LT(off(listed, level, level), kNear);
    EXPECT_GT(off_level(listed, 0, level, false), kFar);
  }
  std::size_t pose = 5;
  for (const std::uint32_t flag : {0u, shared::kEntryOtherLevel}) {
    const std::uint32_t words[] = {1, 0, shared::kEntryTeleport | flag | shared::entry_levels(0, 3)};
    std::memcpy(list.mapped(), words, sizeof(words));
    list.flush(0, list.size());
    frame(listed, ++pose);
    EXPECT_LT(off(listed, 3, pose), kNear);
    EXPECT_EQ(off_level(listed, 0, pose, false) < kNear, flag == 0) << "the level that it fades from";
  }
}

// A level, a linear-blend fit and a slower rate go together: each is as the CPU moves it.
TEST_F(LevelledCrowds, GoTogetherWithDetailsAndRates) {
  Model model = test::make_tube({.around = 12, .along = 24});
  model.levels.push_back({0, 1, test::make_tube_mesh({.around = 8, .along = 12})});
  model.levels.back().mesh.name = "tube_LOD1";
  const Character fitted =
      test::must(fit_linear_blend(test::bound_by(model, "surface_ffd"), {.clip_poses = 1, .random_poses = 8}))
          .character;
  const GpuCharacters gpu = upload_character(fitted);
  Crowd crowd = test::must(Crowd::create(*gpu_device(), gpu, {.instances = {2}}));
  crowd.update_every(1, 3);
  std::size_t posed_at = 0;
  for (std::size_t frame = 0; frame < 12; ++frame) {
    const bool fits = frame / 2 % 2 == 1;
    const std::uint32_t level = frame / 3 % 2;
    for (std::uint32_t i = 0; i < 2; ++i) {
      crowd.detail(i, fits ? Detail::kLinearFit : Detail::kFull);
      crowd.level(i, level);
      crowd.pose(i, joints(frame));
    }
    ASSERT_TRUE(run(*gpu_device(), crowd));
    const bool moved = frame % 3 == 0 || (frame + 1) % 3 == 0;
    if (moved) posed_at = frame;
    for (std::uint32_t i = 0; i < 2; ++i) {
      if (i == 1 && !moved) continue;
      const Character shown = fitted.at_level(level);
      Evaluator evaluator(shown);
      evaluator.set_detail(fits ? pelt::Detail::kLinearFit : pelt::Detail::kFull);
      evaluator.pose(joints(i == 0 ? frame : posed_at));
      evaluator.evaluate();
      const CharacterMesh& skin = test::mesh_of(shown, level == 0 ? "tube" : "tube_LOD1");
      const auto expected = evaluator.positions().subspan(skin.first_vertex, skin.vertex_count());
      const std::uint32_t mesh = static_cast<std::uint32_t>(&test::mesh_of(fitted, "tube") - fitted->meshes.data());
      const std::uint32_t first = level == 0 ? *crowd.mesh_vertex(0, mesh) : crowd.level_vertex(0, 0);
      const std::vector<glm::vec3> got = positions(crowd, i);
      for (std::size_t v = 0; v < expected.size(); ++v)
        ASSERT_LT(glm::distance(got[first + v], expected[v]), kNear * fitted.size()) << i << " in frame " << frame;
    }
  }
}

// A list of what is drawn, written between the parts of a frame.
class DrawnCrowds : public MixedCrowds {
 protected:
  void SetUp() override {
    MixedCrowds::SetUp();
    if (IsSkipped()) return;
    list_ = test::must(Buffer::create(
        *gpu_device(),
        {.size = 1024, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, .memory = MemoryUse::kStream, .name = "drawn"}));
  }
  CrowdOptions drawn_options() const {
    CrowdOptions options{.instances = {2, 2, 2}};
    options.outputs.bounds = true;
    options.outputs.previous_positions.format = VertexFormat::kFloat;
    options.drawn = {list_.handle()};
    return options;
  }
  void draw(Crowd& crowd, const std::vector<std::uint32_t>& instances) {
    std::vector<std::uint32_t> words{static_cast<std::uint32_t>(instances.size())};
    words.insert(words.end(), instances.begin(), instances.end());
    std::memcpy(list_.mapped(), words.data(), words.size() * sizeof(std::uint32_t));
    list_.flush(0, list_.size());
    ASSERT_TRUE(submit_and_wait(*gpu_device(), "two parts", [&](VkCommandBuffer commands) {
      crowd.record_pose(commands);
      crowd.record_blend(commands);
    }));
  }
  Buffer list_;
};

TEST_F(DrawnCrowds, MoveWhatIsListedAlone) {
  Crowd crowd = make(drawn_options());
  crowd.update_every(3, 0);                     // posed once
  std::map<std::uint32_t, std::size_t> stands;  // the pose in which an instance was drawn last
  const std::vector<std::vector<std::uint32_t>> lists{{0, 3, 99}, {5, 3, 0}, {}, {0, 1, 2, 3, 4, 5}, {3, 0}};
  std::map<std::uint32_t, std::size_t> drawn_in;
  for (std::size_t frame = 0; frame < lists.size(); ++frame) {
    pose_all(crowd, 10 * frame);
    draw(crowd, lists[frame]);
    for (const std::uint32_t i : lists[frame]) {
      if (i > 5) continue;
      const std::size_t pose = i + (i == 3 ? 0 : 10 * frame);
      EXPECT_LT(off(crowd, i, pose), 1e-5f) << i << " in frame " << frame;
      const bool before = drawn_in.contains(i) && drawn_in[i] + 1 == frame;
      const std::size_t previous = before ? stands[i] : pose;
      const Character& character = characters_[crowd.character_of(i)];
      EXPECT_LT(worst_distance(rest_skin(character), motion(previous), read(crowd, i).previous_positions),
                1e-5f * character.size())
          << i << " in frame " << frame;
      stands[i] = pose;
      drawn_in[i] = frame;
    }
    for (const auto& [i, pose] : stands) EXPECT_LT(off(crowd, i, pose), 1e-5f) << i << " in frame " << frame;
    for (std::uint32_t i = 0; i < 6; ++i) {
      const Box box = test::must(read_bounds(*gpu_device(), crowd, i));
      const glm::vec3 middle = motion(i + (i == 3 ? 0 : 10 * frame)) * glm::vec4(4, 0, 0, 1);
      EXPECT_LT(glm::distance(0.5f * (box.least + box.greatest), middle), 0.2f * characters_[0].size())
          << "the box is of this frame";
    }
  }
}

// An instance that is posed in one frame and listed only in the next, in which it has no turn, is moved then.
TEST_F(DrawnCrowds, MoveWhatWasPosedBefore) {
  Crowd crowd = make(drawn_options());
  for (std::uint32_t i = 0; i < 6; ++i) crowd.update_every(i, 2);
  for (std::size_t frame = 0; frame < 6; ++frame) {
    pose_all(crowd, 10 * frame);
    draw(crowd, frame % 2 == 0 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{0, 2, 4});
    if (frame % 2 == 0) continue;
    for (const std::uint32_t i : {0u, 2u, 4u}) EXPECT_LT(off(crowd, i, i + 10 * (frame - 1)), 1e-5f) << i;
  }
}

// The frames of two crowds, whole and in parts, are the same.
TEST_F(DrawnCrowds, AreWholeFramesWhereAllIsListed) {
  CrowdOptions options = drawn_options();
  Crowd parts = make(options);
  options.drawn = {};
  Crowd whole = make(options);
  Crowd halves = make(options);
  EXPECT_EQ(parts.passes().size(), whole.passes().size() + 1);
  for (std::size_t frame = 0; frame < 4; ++frame) {
    for (Crowd* crowd : {&parts, &whole, &halves}) {
      if (frame == 1) crowd->detail(0, Detail::kReduced, 1);
      pose_all(*crowd, frame);
    }
    draw(parts, {0, 1, 2, 3, 4, 5});
    draw(halves, {});
    ASSERT_TRUE(run(*gpu_device(), whole));
    for (std::uint32_t i = 0; i < 6; ++i) {
      const InstanceVertices wanted = read(whole, i);
      for (const Crowd* crowd : {&parts, &halves}) {
        const InstanceVertices got = read(*crowd, i);
        EXPECT_EQ(got.positions, wanted.positions);
        EXPECT_EQ(got.normals, wanted.normals);
        EXPECT_EQ(got.previous_positions, wanted.previous_positions);
      }
    }
  }
}

TEST_F(DrawnCrowds, SayWhatTheirPartsUse) {
  const Crowd crowd = make(drawn_options());
  std::map<std::string, VkAccessFlags2> uses;
  for (const CrowdPart part : {CrowdPart::kPose, CrowdPart::kBlend}) {
    for (const BufferUse& use : crowd.uses(part)) {
      EXPECT_EQ(use.stages, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
      EXPECT_GT(use.size, 0u);
      EXPECT_NE(use.buffer, VK_NULL_HANDLE);
      EXPECT_TRUE(uses.emplace(use.name, use.access).second) << use.name;
    }
  }
  constexpr VkAccessFlags2 kRead = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  const std::map<std::string, VkAccessFlags2> wanted{
      {"bounds", kWrite},  {"drawn instances", kRead},     {"positions", kRead | kWrite},
      {"normals", kWrite}, {"previous positions", kWrite}, {"tangents", kWrite}};
  EXPECT_EQ(uses, wanted);
}

TEST_F(DrawnCrowds, RefuseListsThatContradictEachOther) {
  CrowdOptions options = drawn_options();
  options.visible = {list_.handle()};
  EXPECT_THAT(Crowd::create(*gpu_device(), *gpu_, options).error().message, testing::HasSubstr("one of visible"));
  options = drawn_options();
  options.outputs.slots = 2;
  EXPECT_THAT(Crowd::create(*gpu_device(), *gpu_, options).error().message, testing::HasSubstr("output slots"));
  options = drawn_options();
  options.drawn.offset = 1;
  EXPECT_THAT(Crowd::create(*gpu_device(), *gpu_, options).error().message, testing::HasSubstr("drawn instances"));
}

// Every call that names what is not there says so, and has no effect.
class MistakenCrowds : public MixedCrowds {
 protected:
  void SetUp() override {
    MixedCrowds::SetUp();
    sentences().clear();
    on_mistake([](const char* sentence) { sentences().emplace_back(sentence); });
  }
  void TearDown() override { on_mistake(nullptr); }
  static std::vector<std::string>& sentences() {
    static std::vector<std::string> said;
    return said;
  }
  // Expects one sentence, with the words.
  static void expect(const std::string& words) {
    EXPECT_THAT(sentences(), testing::ElementsAre(testing::HasSubstr(words)));
    sentences().clear();
  }
};

TEST_F(MistakenCrowds, SayWhatIsWrong) {
  CrowdOptions options{.instances = {1, 1, 0}};
  options.capacity.instances = 3;
  Crowd crowd = make(options);
  pose_all(crowd);
  expect("Crowd::pose: the crowd of 3 characters has no instance 2");
}

TEST_F(MistakenCrowds, HaveNoEffect) {
  Crowd crowd = make({.instances = {1, 1, 0}});
  for (std::uint32_t i = 0; i < 2; ++i) crowd.pose(i, moved(bind_joints_, motion(i)));
  crowd.release(1);
  for (const std::uint32_t gone : {1u, 2u, ~0u}) {
    crowd.pose(gone, bind_joints_);
    expect("Crowd::pose: the crowd of 3 characters has no instance " + std::to_string(gone));
    crowd.show(gone, true);
    expect("Crowd::show");
    crowd.update_every(gone, 2);
    expect("Crowd::update_every");
    crowd.teleport(gone);
    expect("Crowd::teleport");
    crowd.detail(gone, Detail::kReduced);
    expect("Crowd::detail");
    crowd.level(gone, 1);
    expect("Crowd::level");
    crowd.inputs(gone, {});
    expect("Crowd::inputs");
    crowd.control(gone, 0, 1);
    expect("Crowd::control");
    crowd.stream(gone, 0, {});
    expect("Crowd::stream");
    crowd.release(gone);
    expect("Crowd::release");
    crowd.give_outputs(gone);
    expect("Crowd::give_outputs");
    EXPECT_FALSE(crowd.take_outputs(gone));
    EXPECT_EQ(crowd.first_vertex(gone), 0u);
    expect("Crowd::first_vertex");
    EXPECT_EQ(crowd.vertex_count(gone), 0u);
    expect("Crowd::vertex_count");
    EXPECT_EQ(crowd.character_of(gone), 0u);
    expect("Crowd::character_of");
    EXPECT_EQ(crowd.first_joint(gone), 0u);
    expect("Crowd::first_joint");
    EXPECT_EQ(crowd.first_input(gone), 0u);
    expect("Crowd::first_input");
    EXPECT_EQ(crowd.shown_levels(gone).to, 0u);
    expect("Crowd::shown_levels");
  }
  crowd.pose(0, std::span(bind_joints_).first(1));
  expect("1 joint matrices are given, and there are 2");
  crowd.inputs(0, std::vector{1.0f});
  expect("1 values are given, and there are 0");
  crowd.control(0, 3, 1);
  expect("has no control 3");
  crowd.stream(0, 3, {});
  expect("has no stream 3");
  crowd.give_outputs(0);
  expect("instance 0 of the crowd of 3 characters is shown");
  crowd.show(0, false);
  crowd.give_outputs(0);
  crowd.show(0, true);
  expect("instance 0 of the crowd of 3 characters has no outputs");
  EXPECT_TRUE(crowd.take_outputs(0));
  crowd.show(0, true);
  crowd.remove(0);
  expect("has 1 instances of character 0");
  crowd.remove(7);
  expect("has no character 7");
  EXPECT_EQ(crowd.mesh_vertex(0, 9), std::nullopt);
  expect("has no mesh 9");
  EXPECT_EQ(crowd.level_vertex(0, 0), 0u);
  expect("has no level 0");
  crowd.record_blend(VK_NULL_HANDLE);
  expect("recorded from its second part on");
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "parts", [&](VkCommandBuffer commands) {
    crowd.record_pose(commands);
    crowd.record_pose(commands);
    expect("recorded anew before its second part");
    EXPECT_THAT(crowd.add(*gpu_device(), 9).error().message, testing::HasSubstr("between the parts of a frame"));
    EXPECT_THAT(crowd.acquire(0).error().message, testing::HasSubstr("between the parts of a frame"));
    crowd.pose(0, bind_joints_);
    expect("Crowd::pose: the frame of the crowd of 3 characters waits for its second part");
    crowd.show(0, false);
    expect("Crowd::show: the frame");
    crowd.release(0);
    expect("Crowd::release: the frame");
    crowd.record(commands);
    expect("recorded anew before its second part");
    crowd.record_blend(commands);
  }));
  EXPECT_TRUE(sentences().empty());
  EXPECT_LT(off(crowd, 0, 0), 1e-5f);
}

TEST_F(MistakenCrowds, OfCharactersThatAreGoneSaySo) {
  GpuCharacters gpu = test::must(upload(*gpu_device(), characters_));
  Crowd crowd = test::must(Crowd::create(*gpu_device(), gpu));
  gpu.remove(1);
  EXPECT_THAT(Crowd::create(*gpu_device(), gpu, {.instances = {1, 1, 1}}).error().message,
              testing::HasSubstr("character 1, which was removed"));
  const Crowd without = test::must(Crowd::create(*gpu_device(), gpu));
  EXPECT_EQ(without.rooms().instances.capacity, 2u);
  EXPECT_EQ(test::must(gpu.add(*gpu_device(), characters_[0])), 1u);
  crowd.release(0);
  crowd.remove(0);
  EXPECT_THAT(crowd.add(*gpu_device(), 0).error().message, testing::HasSubstr("character 1 were removed"));
  EXPECT_FALSE(crowd.has_character(0));

  Crowd hidden = test::must(Crowd::create(*gpu_device(), *gpu_));
  hidden.show(0, false);
  hidden.give_outputs(0);
  EXPECT_THAT(read_vertices(*gpu_device(), hidden, 0).error().message, testing::HasSubstr("has no outputs"));
  Crowd* const twice[] = {&hidden, &hidden};
  Crowd::record_together(VK_NULL_HANDLE, twice);
  expect("is named twice");
  EXPECT_EQ(&hidden.outputs(7), &hidden.outputs(0));
  expect("no output slot 7");
}

TEST_F(MistakenCrowds, OfBuffersOfTheCallersSayWhoHasThem) {
  const Buffer buffer = test::must(
      Buffer::create(*gpu_device(), {.size = 4096, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, .name = "a caller's"}));
  Crowd crowd = make({.joints = {buffer.handle()}, .inputs = {buffer.handle()}, .visible = {buffer.handle()}});
  crowd.pose(0, bind_joints_);
  expect("a buffer of the caller's has the joint matrices");
  crowd.inputs(0, {});
  expect("a buffer of the caller's has the inputs");
  crowd.show(0, false);
  expect("a buffer of the caller's lists the instances");
}

}  // namespace
}  // namespace pelt::runtime
