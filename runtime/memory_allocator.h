// SPDX-License-Identifier: MIT
// Device memory in a few large blocks, split into pieces for buffers and images.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/memory.h>
#include <pelt/runtime/vulkan_functions.h>

#include "runtime/plan/free_ranges.h"

namespace pelt::runtime {

// Allocates device memory. Every piece starts and ends at a multiple of the device's largest granularity, so that
// buffers and images may share a block and a flush may round outwards. Thread-safe. The caller's callbacks, if set,
// provide the pieces.
class MemoryAllocator {
 public:
  MemoryAllocator(VkDevice device, const DeviceFunctions& functions, const VkPhysicalDeviceMemoryProperties& memory,
                  const VkPhysicalDeviceLimits& limits, VkDeviceSize largest_allocation,
                  const MemoryCallbacks& callbacks, std::function<std::vector<MemoryHeap>()> heaps);
  ~MemoryAllocator();
  MemoryAllocator(const MemoryAllocator&) = delete;
  MemoryAllocator& operator=(const MemoryAllocator&) = delete;

  // Errors, with `what` in the message: kOutOfMemory if none is left, kUnsupported if the size exceeds the
  // device's largest allocation. `device_address`: shaders access the memory by its address; separate blocks provide
  // it.
  Result<Allocation> allocate(const VkMemoryRequirements& requirements, MemoryUse use, const std::string& what,
                              bool device_address = false);

 private:
  friend class Allocation;
  struct Block {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize size = 0;
    std::uint32_t type = 0;
    bool device_address = false;
    std::byte* mapped = nullptr;
    FreeRanges free;
  };

  Result<Allocation> allocate_from_caller(const VkMemoryRequirements& requirements, MemoryUse use,
                                          const std::string& what, bool device_address);
  std::vector<std::uint32_t> types_for(std::uint32_t allowed, MemoryUse use) const;
  VkDeviceSize budget_left(std::uint32_t type) const;
  VkResult add_block(std::uint32_t type, VkDeviceSize size, bool device_address);
  bool take(Block& block, VkDeviceSize size, VkDeviceSize alignment, Allocation& out);
  void release(const Allocation& allocation);

  VkDevice device_;
  const DeviceFunctions& functions_;
  VkPhysicalDeviceMemoryProperties memory_;
  VkDeviceSize granularity_;
  VkDeviceSize largest_allocation_;
  MemoryCallbacks callbacks_;
  std::function<std::vector<MemoryHeap>()> heaps_;  // queries the device
  std::mutex mutex_;
  std::vector<Block> blocks_;
};

}  // namespace pelt::runtime
