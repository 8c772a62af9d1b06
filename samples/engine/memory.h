// SPDX-License-Identifier: MIT
// The game's device memory, which Pelt takes too, by callbacks. For brevity each buffer has an allocation of its own;
// docs/runtime.md shows the same with the Vulkan Memory Allocator, which gives pieces of large ones.
#pragma once

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstddef>

#include <pelt/runtime/device.h>

namespace pelt::samples {

// Safe to call from several threads: characters are loaded while frames run.
class GameMemory {
 public:
  // `get`: vkGetDeviceProcAddr of the instance.
  GameMemory(VkDevice device, PFN_vkGetDeviceProcAddr get, const VkPhysicalDeviceMemoryProperties& types,
             const VkPhysicalDeviceLimits& limits);

  runtime::MemoryCallbacks callbacks();
  std::size_t pieces() const { return pieces_; }

 private:
  VkResult allocate(const VkMemoryRequirements& requirements, VkMemoryPropertyFlags required,
                    VkMemoryPropertyFlags preferred, runtime::MemoryPiece& piece);
  VkResult allocate_of_type(VkDeviceSize size, std::uint32_t type, runtime::MemoryPiece& piece);
  void free(const runtime::MemoryPiece& piece);

  VkDevice device_;
  PFN_vkAllocateMemory allocate_memory_;
  PFN_vkFreeMemory free_memory_;
  PFN_vkMapMemory map_memory_;
  VkPhysicalDeviceMemoryProperties types_;
  VkDeviceSize atom_;  // bytes; flushes of mapped memory are rounded to it
  std::atomic<std::size_t> pieces_ = 0;
};

}  // namespace pelt::samples
