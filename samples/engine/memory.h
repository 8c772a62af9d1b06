// SPDX-License-Identifier: MIT
// The game's device memory: blocks, and pieces of them. Pelt takes its memory here too, by callbacks.
#pragma once

#include <vulkan/vulkan_core.h>

#include <list>
#include <map>
#include <mutex>

#include <pelt/runtime/device.h>

namespace pelt::samples {

// Safe to call from several threads: characters are loaded while frames run.
class GameMemory {
 public:
  // `get`: vkGetDeviceProcAddr of the instance. Each block has one memory type, and is mapped if that is host-visible.
  GameMemory(VkDevice device, PFN_vkGetDeviceProcAddr get, const VkPhysicalDeviceMemoryProperties& types,
             const VkPhysicalDeviceLimits& limits);
  ~GameMemory();
  GameMemory(const GameMemory&) = delete;
  GameMemory& operator=(const GameMemory&) = delete;

  runtime::MemoryCallbacks callbacks();

  struct Totals {
    std::size_t blocks = 0;
    std::size_t pieces = 0;
    VkDeviceSize held = 0;  // bytes of all blocks
    VkDeviceSize used = 0;  // bytes of all pieces
  };
  Totals totals() const;

 private:
  struct Block {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::uint32_t type = 0;
    VkDeviceSize size = 0;
    std::byte* mapped = nullptr;
    std::map<VkDeviceSize, VkDeviceSize> taken;  // offset -> size
  };
  VkResult allocate(const VkMemoryRequirements& requirements, VkMemoryPropertyFlags required,
                    VkMemoryPropertyFlags preferred, runtime::MemoryPiece& piece);
  VkResult allocate_of_type(const VkMemoryRequirements& requirements, std::uint32_t type, runtime::MemoryPiece& piece);
  VkResult make_block(std::uint32_t type, VkDeviceSize size);
  runtime::MemoryPiece take(Block& block, VkDeviceSize offset, VkDeviceSize size) const;
  void free(const runtime::MemoryPiece& piece);

  VkDevice device_;
  PFN_vkAllocateMemory allocate_memory_;
  PFN_vkFreeMemory free_memory_;
  PFN_vkMapMemory map_memory_;
  VkPhysicalDeviceMemoryProperties types_;
  VkDeviceSize granularity_;
  mutable std::mutex mutex_;
  std::list<Block> blocks_;
};

}  // namespace pelt::samples
