// SPDX-License-Identifier: MIT
// Tests crowds whose instances and characters come and go while they run.
#include <gmock/gmock.h>

#include <map>
#include <mutex>
#include <random>
#include <thread>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/transfer.h>

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

// Threads that acquire, pose and release their own instances concurrently end with the same result as one thread.
TEST_F(LiveCrowds, ComeAndGoOnSeveralThreads) {
  Crowd crowd = make(empty_with_room(16));
  std::mutex mutex;
  std::map<std::uint32_t, std::size_t> kept;
  const auto play = [&](std::uint32_t seed) {
    std::mt19937 random(seed);
    std::map<std::uint32_t, std::size_t> acquired;
    for (int step = 0; step < 500; ++step) {
      if (acquired.size() < 8 && random() % 2 == 0) {
        const Result<std::uint32_t> instance = crowd.acquire(static_cast<std::uint32_t>(random() % 3));
        if (!instance) continue;
        const std::size_t pose = random() % 100;
        crowd.pose(*instance, moved(bind_joints_, motion(pose)));
        acquired[*instance] = pose;
      } else if (!acquired.empty()) {
        crowd.release(acquired.begin()->first);
        acquired.erase(acquired.begin());
      }
    }
    const std::lock_guard lock(mutex);
    for (const auto& [instance, pose] : acquired) EXPECT_TRUE(kept.emplace(instance, pose).second) << "two have it";
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t seed = 0; seed < 4; ++seed) threads.emplace_back(play, seed);
  }
  EXPECT_EQ(crowd.rooms().instances.free, crowd.rooms().instances.capacity - kept.size());
  ASSERT_TRUE(run(*gpu_device(), crowd));
  for (const auto& [instance, pose] : kept) {
    EXPECT_LT(off(crowd, instance, pose), 1e-5f);
    crowd.release(instance);
  }
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
  EXPECT_THAT(full.error().message, testing::AllOf(testing::HasSubstr("an instance of 'tube' needs"),
                                                   testing::HasSubstr("; of 408, 0 are free, at most 0 in one piece")));
  EXPECT_EQ(larger.rooms().palette_entries.free, before.palette_entries.free) << "nothing is kept";
  const std::uint32_t hidden = test::must(larger.acquire(0, false));
  EXPECT_FALSE(larger.instance(hidden)->has_outputs);
  EXPECT_FALSE(larger.set_outputs(hidden, true));
  larger.set_outputs(0, false);
  ASSERT_TRUE(larger.set_outputs(hidden, true));
  larger.pose(hidden, moved(bind_joints_, motion(5)));
  ASSERT_TRUE(run(*gpu_device(), larger));
  EXPECT_LT(off(larger, hidden, 5), 1e-5f);
}

TEST_F(LiveCrowds, HaveRoomForACharacter) {
  for (const VkDeviceSize capacity : {0, 1, 47}) {
    EXPECT_THAT(GpuCharacters::create(*gpu_device(), {}, {.capacity = capacity}).error().message,
                testing::HasSubstr(std::to_string(capacity) + " bytes is too small"));
  }
}

// A character is added between frames and removed; the next takes its number and room.
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
  EXPECT_THAT(crowd.add(*gpu_device(), 1).error().message, testing::HasSubstr("character 1, which does not exist"));
  for (std::size_t turn = 1; turn < 4; ++turn) {
    const Character& character = characters_[1 + turn % 2];
    ASSERT_TRUE(crowd.prepare(*gpu_device(), std::span(&character, 1)));
    const std::size_t pipelines = gpu_device()->internals().pipelines.size();
    const std::uint32_t number = test::must(gpu.add(*gpu_device(), character));
    EXPECT_EQ(number, 1u);
    ASSERT_TRUE(
        submit_and_wait(*gpu_device(), "upload", [&](VkCommandBuffer commands) { gpu.record_upload(commands); }));
    gpu.finish_upload();
    EXPECT_EQ(test::must(Crowd::create(*gpu_device(), gpu, {.instances = {1}})).member(number), nullptr);
    ASSERT_TRUE(crowd.add(*gpu_device(), number));
    EXPECT_EQ(gpu_device()->internals().pipelines.size(), pipelines) << "prepared";
    EXPECT_EQ(&*crowd.member(0)->character, &*characters_[0]);
    const std::uint32_t instance = test::must(crowd.acquire(number));
    ASSERT_TRUE(run(*gpu_device(), crowd));
    crowd.release(instance);
    ASSERT_TRUE(crowd.remove(number));
    EXPECT_EQ(crowd.member(number), nullptr);
    EXPECT_FALSE(crowd.acquire(number));
    ASSERT_TRUE(run(*gpu_device(), crowd));
    ASSERT_TRUE(gpu.remove(number));
    EXPECT_EQ(gpu.free_bytes(), free_bytes);
  }
  Crowd small = test::must(Crowd::create(*gpu_device(), gpu, {.instances = {1, 0}}));
  Model many = model_;  // has far more jobs than a plan has words of padding
  for (std::string name = "2"; many.meshes.size() < 32; name += "2")
    many.meshes.emplace_back(model_.meshes[0]).name = name;
  EXPECT_EQ(test::must(gpu.add(*gpu_device(), test::bound_by(many, "linear_blend"))), 1u);
  EXPECT_THAT(small.add(*gpu_device(), 1).error().message, testing::HasSubstr("there is room for"));
  EXPECT_EQ(small.member(1), nullptr);
  ASSERT_TRUE(run(*gpu_device(), small)) << "it goes on as it was";
}

// While frames run, a thread adds the same characters again, for which there is no room: they get a second buffer. Each
// pass has a dispatch for it, with a further barrier for drivers only, which validation asks for. Characters of both
// buffers are moved as the CPU moves them.
TEST_F(LiveCrowds, GrowIntoFurtherBuffers) {
  GpuCharacters gpu = test::must(upload(*gpu_device(), characters_));
  const VkDeviceSize bytes = gpu.bytes();
  CrowdOptions options;
  options.outputs.bounds = true;
  for (std::uint32_t c = 0; c < 6; ++c) options.capacity += capacity_of(characters_[c % 3], 1, options.outputs);
  Crowd crowd = test::must(Crowd::create(*gpu_device(), gpu, options));
  const std::vector<std::string> before(crowd.passes().names.begin(), crowd.passes().names.end());
  const std::uint32_t barriers = crowd.passes().barriers;
  const auto frame = [&] {
    return submit_and_wait(*gpu_device(), "upload and frame", [&](VkCommandBuffer commands) {
      gpu.record_upload(commands, 1000);
      crowd.record(commands);
    });
  };
  {
    const std::jthread adding([&] {
      for (const Character& character : characters_) EXPECT_TRUE(gpu.add(*gpu_device(), character));
    });
    while (gpu.size() < 6) ASSERT_TRUE(frame());
  }
  EXPECT_EQ(gpu.bytes(), 2 * bytes);
  EXPECT_EQ(gpu.free_bytes(), 0u);
  ASSERT_TRUE(submit_and_wait(*gpu_device(), "rest", [&](VkCommandBuffer commands) { gpu.record_upload(commands); }));
  gpu.finish_upload();
  EXPECT_THAT(std::vector(crowd.passes().names.begin(), crowd.passes().names.end()), before)
      << "nothing is bound that is not used";
  for (std::uint32_t c = 3; c < 6; ++c) {
    ASSERT_TRUE(crowd.add(*gpu_device(), c));
    EXPECT_EQ(test::must(crowd.acquire(c)), c);
  }
  std::vector<std::string> after;
  for (const std::string& pass : before) {
    const std::size_t end = std::min(pass.find(','), pass.size());
    after.insert(after.end(), {pass, pass.substr(0, end) + " (bind data 2)" + pass.substr(end)});
  }
  EXPECT_THAT(std::vector(crowd.passes().names.begin(), crowd.passes().names.end()), after);
  EXPECT_EQ(crowd.passes().barriers, barriers + 1);
  for (std::uint32_t i = 0; i < 6; ++i) crowd.pose(i, moved(bent_joints(), motion(i)));
  ASSERT_TRUE(frame());
  for (std::uint32_t i = 0; i < 6; ++i) {
    const Character& character = characters_[i % 3];
    const std::vector<glm::vec3> wanted = skin_on_the_cpu(character, moved(bent_joints(), motion(i)));
    EXPECT_LT(test::farthest(wanted, positions(crowd, i)), 1e-5f * character.size());
  }
}

// Frames run while a character is uploaded in parts, for a frame's time each, in the same commands: the validation
// layer, for which a frame reads all bind data that it binds, has nothing to say. The parts are the whole.
TEST_F(LiveCrowds, MoveWhileOthersAreUploadedInParts) {
  const std::vector<Character> first{characters_[0]};
  GpuCharacters gpu = test::must(
      upload(*gpu_device(), first,
             {.capacity = 2 * GpuCharacters::bytes_of(characters_[0]) + GpuCharacters::bytes_of(characters_[1])}));
  CrowdOptions options;
  for (int i = 0; i < 2; ++i) options.capacity += capacity_of(characters_[i], 1);
  Crowd crowd = test::must(Crowd::create(*gpu_device(), gpu, options));
  ASSERT_TRUE(gpu.add(*gpu_device(), characters_[1]));
  VkDeviceSize left = GpuCharacters::bytes_of(characters_[1]);
  for (std::size_t frame = 0; left > 0; ++frame) {
    const VkDeviceSize before = left;
    crowd.pose(0, moved(bind_joints_, motion(frame)));
    ASSERT_TRUE(submit_and_wait(*gpu_device(), "part and frame", [&](VkCommandBuffer commands) {
      left = gpu.record_upload(commands, 1000);
      crowd.record(commands);
    }));
    EXPECT_LT(off(crowd, 0, frame), 1e-5f);
    EXPECT_LE(before - left, left == 0 ? 1000 + 3 * 48 : 1000u);
    ASSERT_LT(left, before);
  }
  gpu.finish_upload();
  test::must(crowd.add(*gpu_device(), 1));
  const std::uint32_t instance = test::must(crowd.acquire(1));
  crowd.pose(instance, moved(bind_joints_, motion(7)));
  ASSERT_TRUE(run(*gpu_device(), crowd));
  EXPECT_LT(off(crowd, instance, 7), 1e-5f);
}

}  // namespace
}  // namespace pelt::runtime
