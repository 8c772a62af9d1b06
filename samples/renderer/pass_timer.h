// SPDX-License-Identifier: MIT
// Device times of the passes of a picture.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/runtime/gpu_timer.h>

#include "samples/renderer/renderer.h"

namespace pelt::samples {

// The work that ends at a timestamp; crowds have further passes.
enum class Timed { kBegin, kCrowd, kCrowdsReady, kShadows, kSurfaces, kLines, kDevelopment };

struct DrawnCrowd {
  runtime::Crowd* crowd = nullptr;
  bool restart = false;  // DrawItem::restart
};

// Times the passes of one record() of the renderer. Does nothing on a device without timestamps.
class PassTimer {
 public:
  // Makes enough timestamps for one record() of all crowds and all samples of a scene.
  Result<void> reserve(const runtime::Device& device, std::uint32_t samples, std::span<const DrawnCrowd> crowds);

  void begin(VkCommandBuffer commands);
  void stamp(VkCommandBuffer commands, Timed what);
  // Records a crowd with a timestamp after each of its passes.
  void record(VkCommandBuffer commands, const DrawnCrowd& drawn);

  // Returns the times of the last record(), whose commands are done; none if nothing was timed.
  std::optional<PassSeconds> seconds() const;

 private:
  std::optional<runtime::GpuTimer> timer_;
  std::uint32_t capacity_ = 0;
  std::vector<pelt::shared::ListEntry> list_;
  std::vector<Timed> stamped_;  // the work that each stamp of the last record() ends
  std::vector<std::vector<std::string>> crowd_passes_;
};

}  // namespace pelt::samples
