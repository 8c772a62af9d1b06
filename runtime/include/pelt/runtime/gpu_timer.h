// SPDX-License-Identifier: MIT
#pragma once

#include <vulkan/vulkan_core.h>

#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/owned.h>

namespace pelt::runtime {

// Timestamps written between commands. Move-only; the Device must outlive it.
class GpuTimer {
 public:
  // Returns false if the device's queue has no timestamps; create() then fails with kUnsupported.
  static bool supported(const Device& device);
  static Result<GpuTimer> create(const Device& device, std::uint32_t capacity);
  GpuTimer() = default;

  // Discards all timestamps; record it before the first stamp() of a command buffer.
  void reset(VkCommandBuffer commands);
  // Writes the time at which all earlier commands are finished. At most `capacity` stamps between two resets.
  void stamp(VkCommandBuffer commands);
  // Returns the seconds of each stamp since the first, in order. Does not wait: fails with kUnsupported until the
  // commands have finished, also if they were never submitted. An earlier frame's times stay until the commands of
  // reset() run, so call this after the frame's fence is signalled. Other errors: kDeviceFailed.
  Result<std::vector<double>> seconds() const;

 private:
  DeviceInternals* device_ = nullptr;
  Owned<VkQueryPool> pool_;
  std::uint32_t capacity_ = 0;
  std::uint32_t stamps_ = 0;
};

}  // namespace pelt::runtime
