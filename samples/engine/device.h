// SPDX-License-Identifier: MIT
// The game's Vulkan: an instance, a device with a queue for drawing and one for compute, its memory, and Pelt on top.
#pragma once

#include <vulkan/vulkan_core.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <pelt/result.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/memory.h>

#include "samples/engine/memory.h"
#include "samples/renderer/gpu_objects.h"

namespace pelt::samples {

inline constexpr std::uint32_t kFramesInFlight = 2;

struct GameDeviceOptions {
  std::string select;      // device's index or part of its name; empty: $PELT_DEVICE, else the most capable one
  bool one_queue = false;  // compute runs on the queue that draws, even if there is another
  // Turns on the validation layer with synchronization validation, and receives its messages.
  std::function<void(const std::string& message)> on_validation_message;
};

class GameDevice {
 public:
  // Errors: no loader, no device, features missing (the message names them).
  static Result<std::unique_ptr<GameDevice>> create(const GameDeviceOptions& options);
  ~GameDevice();
  GameDevice(const GameDevice&) = delete;
  GameDevice& operator=(const GameDevice&) = delete;

  const runtime::Device& pelt() const { return *pelt_; }
  const runtime::DeviceFunctions& functions() const { return pelt_->functions(); }
  VkDevice handle() const { return device_; }
  VkQueue graphics_queue() const { return graphics_queue_; }
  VkQueue compute_queue() const { return compute_queue_; }
  std::uint32_t graphics_family() const { return graphics_family_; }
  std::uint32_t compute_family() const { return compute_family_; }  // the same family, or one that runs in parallel
  const GameMemory& memory() const { return *memory_; }

 private:
  GameDevice() = default;
  Result<void> make_instance(const GameDeviceOptions& options);
  Result<void> choose_physical(const std::string& select);
  void choose_families(bool one_queue);
  Result<void> make_device();
  template <class Function>
  Function load(const char* name) const {
    return reinterpret_cast<Function>(entry_(instance_, name));
  }

  PFN_vkGetInstanceProcAddr entry_ = nullptr;
  std::function<void(const std::string&)> on_message_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  std::uint32_t graphics_family_ = 0;
  std::uint32_t compute_family_ = 0;
  VkQueue graphics_queue_ = VK_NULL_HANDLE;
  VkQueue compute_queue_ = VK_NULL_HANDLE;
  std::unique_ptr<GameMemory> memory_;
  std::optional<runtime::Device> pelt_;
};

// A buffer that both queues use without a change of owner (VK_SHARING_MODE_CONCURRENT).
class GameBuffer {
 public:
  GameBuffer() = default;
  static Result<GameBuffer> create(const GameDevice& device, VkDeviceSize size, VkBufferUsageFlags usage,
                                   runtime::MemoryUse use, const std::string& name);
  VkBuffer handle() const { return handle_.get(); }
  std::byte* mapped() const { return memory_.mapped(); }
  // Makes what the host wrote visible to commands submitted later, and what finished commands wrote to the host.
  void flush(const GameDevice& device) const;
  void invalidate(const GameDevice& device) const;

 private:
  VkMappedMemoryRange range() const;

  runtime::Allocation memory_;
  Owned<VkBuffer> handle_;
};

// A counter that the device raises, and both the device and the host wait for. The host never waits forever.
class Timeline {
 public:
  Timeline() = default;
  static Result<Timeline> create(const GameDevice& device, std::string name);
  VkSemaphore handle() const { return handle_.get(); }
  // Errors: the value is not reached within `longest`; the message names the frame.
  Result<void> wait(const GameDevice& device, std::uint64_t value,
                    std::chrono::nanoseconds longest = std::chrono::seconds(30)) const;

 private:
  std::string name_;
  Owned<VkSemaphore> handle_;
};

// Submits commands that wait for one value and signal another; 0 waits for nothing.
Result<void> submit(const GameDevice& device, VkQueue queue, VkCommandBuffer commands, const Timeline& waits,
                    std::uint64_t wait_value, const Timeline& signals, std::uint64_t signal_value);

}  // namespace pelt::samples
