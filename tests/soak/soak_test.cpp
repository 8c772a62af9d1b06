// SPDX-License-Identifier: MIT
// A long run: crowds whose instances and characters come and go, on devices that refuse memory, are lost and are made
// again. The crowds' outputs must agree with the CPU, and the process's resources must not grow. PELT_SOAK_SECONDS: how
// long; PELT_SOAK_SEED: the run.
#include <malloc.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <thread>

#include <pelt/runtime/transfer.h>

#include "tests/runtime/crowd_pair.h"
#include "tests/soak/counted_vulkan.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"

#ifdef PELT_SANITIZED
#include <sanitizer/allocator_interface.h>
#endif

namespace pelt::runtime {
namespace {

// Allowed growth of the heap, bytes. The validation layer keeps memory of every frame, so only scenes without it are
// measured.
constexpr std::size_t kSceneGrowth = 128 << 10;
constexpr std::int64_t kMeanGrowth = 24 << 10;  // of a scene; the loader and the driver keep some 9 kB of each
// For a round of frames. The driver compiles shaders when they first run, so a round grows now and then; a leaking
// round grows each time.
constexpr std::size_t kRoundGrowth = 64 << 10;
constexpr std::uint32_t kRound = 64;      // frames
constexpr std::uint64_t kWarmScenes = 4;  // the loader and the driver keep some of what the first ones make
constexpr std::uint64_t kScenes = 6;      // least number: after the first, every second one is without validation
constexpr std::uint32_t kWholeRun = 60;   // seconds in which everything happens

// The resources of this process.
struct ProcessCounts {
  std::size_t heap = 0;  // bytes in use
  std::size_t files = 0;
  std::size_t threads = 0;
};

std::size_t heap_in_use() {
#ifdef PELT_SANITIZED
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

std::size_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

// Counts once there are no more than so many threads, or after a second: a thread that was joined may be counted for a
// moment.
ProcessCounts process_counts(std::size_t threads) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (entries_of("/proc/self/task") > threads && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return {.heap = heap_in_use(), .files = entries_of("/proc/self/fd"), .threads = entries_of("/proc/self/task")};
}

// Returns the number in a variable of the environment.
std::uint32_t setting(const char* name, std::uint32_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
}

class Soak : public testing::Test {
 protected:
  void SetUp() override {
    if (const Result<Device> device = Device::create(); !device) PELT_SKIP(device.error().message);
  }

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool goes_on() const {
    const bool has_time = std::chrono::steady_clock::now() < end_ || (is_whole_ && scenes_ < kScenes);
    return has_time && !HasFailure();
  }
  bool validates() const { return scenes_ % 2 == 0; }
  std::string place() const {
    return "PELT_SOAK_SEED=" + std::to_string(seed_) + ", scene " + std::to_string(scenes_) + ", frame " +
           std::to_string(frames_);
  }

  // Plays until the device is lost or the scene is over; destroys everything that it made.
  void scene() {
    try {
      DeviceOptions options{.validation = validates(), .get_instance_proc_addr = test::counted_entry_point};
      options.on_validation_message = [&](const std::string& message) {
        ADD_FAILURE() << place() << ": validation: " << message;
      };
      const Device device = test::must(Device::create(options));
      // The device keeps the pool of its submissions from the first one on.
      test::must(submit_and_wait(device, "first submission", [](VkCommandBuffer) {}));
      CrowdPair pair(device, static_cast<std::uint32_t>(random_()), kinds_, &refusing_);
      test::lose_device_in(1 + below(below(8) == 0 ? 40 : 20000));
      play(pair);
    } catch (const std::exception& error) {
      EXPECT_TRUE(test::device_is_lost()) << place() << ": " << error.what();
      ++losses_;
    }
    test::lose_device_in(0);
    test::refuse_object_in(0);
    ++scenes_;
    EXPECT_EQ(test::vulkan_counts(), "") << place();
  }

  void play(CrowdPair& pair) {
    std::size_t heap = 0;  // a round ago
    std::int64_t pipelines = 0;
    const std::uint32_t last = below(3) == 0 ? below(500) : UINT32_MAX;
    for (std::uint32_t frame = 0; frame < last && goes_on(); ++frame, ++frames_) {
      EXPECT_TRUE(pair.frame(frame)) << place() << ": " << pair.log();
      if (frame % kRound != kRound - 1 || validates()) continue;
      if (pipelines == test::vulkan_count("Pipeline")) {
        ++steady_rounds_;
        if (heap_in_use() > heap + kRoundGrowth) ++grown_rounds_;
      }
      heap = heap_in_use();
      pipelines = test::vulkan_count("Pipeline");
    }
  }

  std::uint32_t seed_ = setting("PELT_SOAK_SEED", 1);
  std::uint32_t seconds_ = setting("PELT_SOAK_SECONDS", 5);
  bool is_whole_ = seconds_ >= kWholeRun;
  std::mt19937 random_{seed_};
  const std::vector<Character> kinds_ = make_kinds();
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + std::chrono::seconds(seconds_);
  // The device keeps the pipelines that were made before one was refused.
  RefusingDevice refusing_{test::refuse_object_in, [] {
                             return test::vulkan_counts({"Pipeline", "PipelineLayout", "DescriptorSetLayout"});
                           }};
  std::uint64_t frames_ = 0;
  std::uint64_t scenes_ = 0;
  std::uint64_t losses_ = 0;
  std::uint64_t steady_rounds_ = 0;  // without a new pipeline
  std::uint64_t grown_rounds_ = 0;   // and those of them in which the heap has grown
};

TEST_F(Soak, HoldsWhatItHeld) {
  ProcessCounts before = process_counts(SIZE_MAX);
  std::int64_t growth = 0;  // bytes of heap, over the warm scenes without validation
  std::int64_t warm = 0;    // their number
  while (goes_on()) {
    std::cout << place() << std::endl;  // a crash has no other report
    const bool measured = !validates() && scenes_ >= kWarmScenes;
    scene();
    const ProcessCounts now = process_counts(before.threads);
    if (scenes_ > kWarmScenes) {
      EXPECT_EQ(now.files, before.files) << place();
      EXPECT_LE(now.threads, before.threads) << place();
    }
    if (measured) {
      EXPECT_LE(now.heap, before.heap + kSceneGrowth) << place();
      growth += static_cast<std::int64_t>(now.heap) - static_cast<std::int64_t>(before.heap);
      ++warm;
    }
    before = now;
  }
  EXPECT_LE(growth, static_cast<std::int64_t>(kSceneGrowth) + warm * kMeanGrowth) << place() << ": the heap grows";
  EXPECT_LE(4 * grown_rounds_, steady_rounds_ + 4) << place() << ": the heap grows round by round";
  if (is_whole_) {
    EXPECT_GT(warm, 0);
    EXPECT_GT(steady_rounds_, 0u);
    EXPECT_GT(losses_, 0u);
    EXPECT_GT(refusing_.refusals, 0u);
  }
  std::cout << place() << ": " << losses_ << " devices lost, " << refusing_.refusals << " refusals; " << grown_rounds_
            << " of " << steady_rounds_ << " rounds grew, " << warm << " warm scenes by " << growth << " bytes\n";
}

}  // namespace
}  // namespace pelt::runtime
