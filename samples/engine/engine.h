// SPDX-License-Identifier: MIT
// The frame of the game: the order of its work, its queues and its waits.
#pragma once

#include <array>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include <pelt/runtime/crowd.h>
#include <pelt/runtime/upload.h>

#include "samples/engine/culling.h"
#include "samples/engine/device.h"
#include "samples/engine/passes.h"
#include "samples/engine/scene.h"

namespace pelt::samples {

using MakeWalking = std::function<Result<Walking>()>;

struct EngineOptions {
  GameDeviceOptions device;
  PassSizes sizes;
  std::uint32_t walkers = 1000;
  bool seldom = false;             // walkers at level n are posed every n + 1 frames
  bool props = false;              // draws make_props() of the first character
  std::vector<MakeWalking> first;  // characters from the first frame on
  MakeWalking later;               // made by a second thread while frames run; may be empty
};

// Sums over the frames that are done.
struct EngineStatistics {
  std::uint64_t frames = 0;
  double seconds = 0;        // of all frames
  double worst_seconds = 0;  // of one
  shared::CullCounts last;   // of the last frame
  std::uint64_t drawn = 0;   // instances that the crowd moved
  std::uint64_t seen = 0;
  std::uint64_t draws = 0;              // for the picture and the shadow map
  std::optional<std::uint64_t> joined;  // the frame in which the later character joined
  std::uint32_t upload_frames = 0;      // frames that had a part of its upload
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> create(const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Runs a frame, `seconds` after the previous one. `capture`: picture() and motion() return this frame.
  Result<void> frame(float seconds, bool capture = false);
  // Waits until all frames are done.
  Result<void> finish();
  // Waits until the second thread has made the later character; the thread starts in the first frame.
  void wait_for_later() const;

  Image picture() const { return passes_.picture(); }
  std::vector<glm::vec2> motion() const { return passes_.motion(); }
  const EngineStatistics& statistics() const { return statistics_; }
  std::uint32_t dispatches() const { return static_cast<std::uint32_t>(crowd_->passes().names.size()) + 1; }
  std::uint32_t barriers() const;  // per frame, on both queues
  const GameDevice& device() const { return *device_; }
  const runtime::Crowd& crowd() const { return *crowd_; }
  const runtime::GpuCharacters& characters() const { return *characters_; }
  const Culling& culling() const { return culling_; }
  std::uint32_t last_slot() const { return static_cast<std::uint32_t>((frame_ - 1) % kFramesInFlight); }
  const Scene& scene() const { return *scene_; }
  const shared::FrameRecord& frame_record() const { return frame_record_; }  // of the last frame

 private:
  // The resources of a frame in flight.
  struct Slot {
    Owned<VkCommandPool> compute_pool, graphics_pool;
    VkCommandBuffer compute = VK_NULL_HANDLE;
    VkCommandBuffer graphics = VK_NULL_HANDLE;
  };
  // The later character, as made by the second thread.
  struct Loaded {
    Walking walking;
    std::uint32_t number = 0;
  };

  Engine() = default;
  Result<void> make_crowd(const EngineOptions& options);
  Result<void> make_slots();
  void load_later();
  Result<void> take_later();
  Result<void> add_kind(Walking walking, std::uint32_t number);
  Result<void> wait_for(std::uint64_t frame);
  void begin(const Owned<VkCommandPool>& pool, VkCommandBuffer commands) const;
  Result<void> end(VkCommandBuffer commands, const char* what) const;
  Result<void> record_compute(std::uint32_t slot);
  Result<void> record_graphics(std::uint32_t slot, bool capture);

  std::unique_ptr<GameDevice> device_;
  PassSizes sizes_;
  std::optional<runtime::GpuCharacters> characters_;
  Culling culling_;
  std::optional<runtime::Crowd> crowd_;
  std::vector<GameBuffer> walkers_;  // WalkerRecord[], one buffer per frame in flight
  Passes passes_;
  std::optional<Scene> scene_;
  std::array<Slot, kFramesInFlight> slots_;
  Timeline moved_, drawn_;       // last frame done on the compute queue, and on the graphics queue
  std::uint64_t frame_ = 0;      // the first is 1
  std::uint64_t submitted_ = 0;  // the last frame submitted to both queues
  std::uint64_t counted_ = 0;    // the last frame whose counts are in the statistics
  shared::FrameRecord frame_record_{};
  EngineStatistics statistics_;

  MakeWalking later_;
  bool uploading_ = true;
  std::uint64_t uploaded_in_ = 0;        // the frame with the last part of an upload; 0: no upload in flight
  std::optional<Loaded> loaded_;         // made, but not uploaded completely
  std::future<Result<Loaded>> loading_;  // last member, so that it is destroyed before the data its thread uses
};

}  // namespace pelt::samples
