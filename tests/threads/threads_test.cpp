// SPDX-License-Identifier: MIT
// Tests what the documents allow on several threads at once: for the thread sanitizer (./run check threads), which sees
// races that do not show in results.
#include <atomic>
#include <thread>

#include <pelt/bind.h>
#include <pelt/evaluate.h>
#include <pelt/pelt_file.h>
#include <pelt/runtime/transfer.h>
#include <pelt/tools/parallel.h>

#include "tests/runtime/c_handles.h"
#include "tests/runtime/crowds.h"
#include "tests/support/program.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

constexpr std::size_t kThreads = 4;

// Calls `body` with the numbers of threads, each on its own.
template <class Body>
void on_threads(const Body& body) {
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) threads.emplace_back([&body, t] { body(t); });
}

TEST(Threads, BindSaveAndLoadAtOnce) {
  const Model model = test::make_tube();
  const Rig rig = rig_from_deformer_name("surface-ffd").value();
  const BindOptions options{.threads = 2};
  const Character alone = test::must(bind(model, rig, options)).character;
  const test::TemporaryFolder folder;
  test::must(save_pelt(alone, folder / "alone.pelt"));
  on_threads([&](std::size_t t) {
    const Result<Bound> bound = bind(model, rig, options);
    ASSERT_TRUE(bound) << bound.error().message;
    const std::filesystem::path path = folder / (std::to_string(t) + ".pelt");
    EXPECT_TRUE(save_pelt(bound->character, path));
    EXPECT_EQ(test::file_text(path), test::file_text(folder / "alone.pelt"));
    for (const FileAccess access : {FileAccess::kRead, FileAccess::kMapped}) {
      const Result<Character> loaded = load_pelt(folder / "alone.pelt", access);
      ASSERT_TRUE(loaded) << loaded.error().message;
      EXPECT_TRUE(serialize(*loaded) == serialize(bound->character));
    }
  });
}

TEST(Threads, EvaluateOneCharacterAtOnce) {
  const Model model = test::make_tube({.around = 32, .along = 64});
  const Character character = test::bound_by(model, "surface-ffd");
  const auto posed = [&](const JobSystem& jobs) {
    Evaluator evaluator(character, {.jobs = jobs});
    evaluator.pose(moved(test::bind_matrices(model), motion(3)));
    for (int frame = 0; frame < 5; ++frame) evaluator.evaluate();
    return std::vector<glm::vec3>(evaluator.normals().begin(), evaluator.normals().end());
  };
  const std::vector<glm::vec3> alone = posed({});
  on_threads([&](std::size_t t) { EXPECT_EQ(posed(thread_jobs(3)), alone) << t; });
}

TEST(Threads, ShareACharacterInC) {
  const Character caged = make_caged();
  const CharacterHandle character = in_c(caged);
  const std::uint32_t joint_count = static_cast<std::uint32_t>(caged->skeleton.joints.size());
  on_threads([&](std::size_t t) {
    ASSERT_OK(pelt_character_retain(character.get()));
    const CharacterHandle handle(character.get());
    std::uint32_t clip = 9;
    EXPECT_OK(pelt_character_find_clip(handle.get(), "nod", &clip));
    std::vector<float> joints(16 * joint_count);
    std::vector<float> inputs(caged->input_count);
    for (int frame = 0; frame < 20; ++frame) {
      const float seconds = 0.1f * static_cast<float>(frame);
      EXPECT_OK(pelt_character_sample_clip(handle.get(), clip, seconds, joints.data(), joint_count));
      EXPECT_OK(pelt_character_sample_inputs(handle.get(), clip, seconds, inputs.data(), caged->input_count));
    }
    const std::string name = "joint of thread " + std::to_string(t);
    std::uint32_t joint = 0;
    EXPECT_EQ(pelt_character_find_joint(handle.get(), name.c_str(), &joint), PELT_ERROR_NOT_FOUND);
    EXPECT_THAT(pelt_last_error(), testing::HasSubstr(name));
  });
}

class ThreadsOfCrowds : public MixedCrowds {};

// Two crowds show the same characters and are recorded; the instances of one are posed on two threads, while others add
// characters, upload them and take them away again.
TEST_F(ThreadsOfCrowds, RecordWhileCharactersComeAndGo) {
  VkDeviceSize capacity = 0;
  for (const Character& character : characters_) capacity += 3 * GpuCharacters::bytes_of(character);
  GpuCharacters gpu = test::must(upload(*gpu_device(), characters_, {.capacity = capacity}));
  const VkDeviceSize free_bytes = gpu.free_bytes();
  std::atomic<std::size_t> playing = 2;
  const auto play = [&](std::size_t t) {
    Crowd crowd = test::must(Crowd::create(*gpu_device(), gpu, {.instances = {2, 2, 2}}));
    CrowdLists lists(crowd.instance_count());
    for (std::size_t frame = 0; frame < 8; ++frame) {
      const auto pose_half = [&](std::uint32_t half) {
        for (std::uint32_t i = half; i < 6; i += 2) {
          crowd.pose(i, moved(bind_joints_, motion(10 * t + frame + i)));
          crowd.inputs(i, {});
          lists.show(i, true);
          lists.update_every(i, 1);
          lists.detail(i, static_cast<Detail>((i + frame) % 2));
          lists.teleport(i);
        }
      };
      {
        const std::jthread other(pose_half, 1);
        pose_half(0);
      }
      EXPECT_TRUE(crowd.prepare(*gpu_device(), characters_));
      EXPECT_TRUE(run(*gpu_device(), crowd, lists.next()));
      for (std::uint32_t i = 0; i < 6; ++i) EXPECT_LT(off(crowd, i, 10 * t + frame + i), 1e-5f);
    }
    --playing;
  };
  const auto come_and_go = [&](std::size_t t) {
    while (playing > 0) {
      const Result<std::uint32_t> number = gpu.add(*gpu_device(), characters_[t % 3]);
      if (!number) continue;
      EXPECT_EQ(gpu.character(*number)->name, characters_[t % 3]->name);
      EXPECT_TRUE(
          submit_and_wait(*gpu_device(), "upload", [&](VkCommandBuffer commands) { gpu.record_upload(commands); }));
      gpu.finish_upload(*number);
      gpu.remove(*number);
    }
  };
  on_threads([&](std::size_t t) { t < 2 ? play(t) : come_and_go(t); });
  EXPECT_EQ(gpu.free_bytes(), free_bytes);
}

}  // namespace
}  // namespace pelt::runtime
