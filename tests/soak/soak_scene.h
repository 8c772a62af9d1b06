// SPDX-License-Identifier: MIT
// A scene of the soak: what comes and goes on one device, and what is compared there.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <future>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/upload.h>
#include <pelt/runtime/vulkan_functions.h>

#include "tests/soak/process.h"
#include "tests/soak/soak_cast.h"

namespace pelt::runtime {

// Returns the number in a variable of the environment.
std::uint32_t setting(const char* name, std::uint32_t otherwise);

inline constexpr std::uint32_t kFramesInFlight = 2;

struct Lost {};  // thrown where the device is lost

// What all scenes share.
struct LongRun {
  std::uint32_t seed = setting("PELT_SOAK_SEED", 1);
  std::mt19937 random{seed};
  const std::vector<Character> cast = test::soak_cast();
  std::uint32_t seconds = setting("PELT_SOAK_SECONDS", 5);
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::uint64_t frames = 0;
  std::uint64_t scenes = 0;
  std::uint64_t losses = 0;
  std::uint64_t refusals = 0;
  std::uint64_t uploads = 0;
  std::uint64_t compared = 0;
  std::uint64_t steady_rounds = 0;  // without a new pipeline
  std::uint64_t grown_rounds = 0;   // and those of them in which the heap has grown

  // Every second scene runs under validation.
  bool validates() const { return scenes % 2 == 0; }
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  template <class Map>
  auto any_of(Map& map) {
    return std::next(map.begin(), below(map.size()));
  }
  // In so many seconds everything happens, once there were so many scenes: they are played to their ends on a slow
  // machine, too.
  static constexpr std::uint32_t kWholeRun = 60;
  static constexpr std::uint64_t kScenes = 6;
  bool is_whole() const { return seconds >= kWholeRun; }
  bool goes_on() const {
    const bool has_time = std::chrono::steady_clock::now() < end || (is_whole() && scenes < kScenes);
    return has_time && !testing::Test::HasFailure();
  }
  std::string place() const {
    return "PELT_SOAK_SEED=" + std::to_string(seed) + ", scene " + std::to_string(scenes) + ", frame " +
           std::to_string(frames);
  }
};

// A device with characters and a crowd, until it is lost or the scene is over.
class Scene {
 public:
  explicit Scene(LongRun& run);
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene() { end(); }

  void frame();

 private:
  struct Frame {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    bool runs = false;
  };
  struct Instance : test::InstanceState {
    std::uint32_t every = 1;
    std::uint32_t fades = 0;  // frames for which it may fade
  };
  // A character on its way into the crowd.
  struct Uploading {
    std::uint32_t cast = 0;  // its index there
    std::string counts;      // before
    std::future<Result<std::uint32_t>> added;
    std::optional<std::uint32_t> number;
    std::uint64_t last_frame = 0;  // that copied it
    bool copied = false;
  };
  // One on its way out.
  struct Leaving {
    std::uint32_t number;
    std::uint64_t last_frame;  // that may have moved it
  };
  // What there is when the crowd is empty.
  struct Footprint {
    std::string objects;
    std::int64_t pipelines;
    test::ProcessCounts process;
  };

  template <class T>
  T unless_lost(Result<T> result);
  void unless_lost(VkResult result);

  // Calls `make`, now and then with too little memory first, of which nothing must be left.
  template <class Make>
  auto made_by(const Make& make);
  // Says what there is, without pipelines: the device has those that were made before one was refused.
  static std::string objects();

  void make();

  void make_frame(Frame& frame);
  void begin(Frame& frame);
  void submit(Frame& frame);
  void wait_for(Frame& frame);
  // Frames run in order, and this one has waited for the one that had its slot.
  bool is_done(std::uint64_t frame) const { return frame + kFramesInFlight <= number_; }

  void record(Frame& frame);

  void change_instance(bool fills);
  std::uint32_t fade(Instance& instance);
  void acquire();
  void hide_or_show(std::uint32_t number);

  void change_characters(bool fills);
  void go_on_uploading();
  void take_added();
  void remove_from_crowd(std::uint32_t character);

  // Compares an instance that is shown with the CPU.
  void compare();

  // Takes everything out of the crowd, and compares what is held with the last time.
  void empty_and_compare();
  void compare_with_last_time(const Footprint& now);

  void end();

  const DeviceFunctions& functions() const { return device_.functions(); }

  LongRun& run_;
  Device device_;
  std::array<Frame, kFramesInFlight> frames_;
  std::optional<GpuCharacters> characters_;
  std::optional<Crowd> crowd_;
  VkDeviceSize free_bytes_ = 0;                     // with the first character alone
  std::map<std::uint32_t, std::uint32_t> numbers_;  // of the crowd's characters; their indices in the cast
  std::map<std::uint32_t, Instance> instances_;
  std::optional<Uploading> uploading_;
  std::optional<Leaving> leaving_;
  std::uint64_t number_ = 0;       // of the frame
  std::optional<Footprint> held_;  // the last time
};

}  // namespace pelt::runtime
