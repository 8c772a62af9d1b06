// SPDX-License-Identifier: MIT
// A caller's handles and memory for a device.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include <pelt/runtime/device.h>
#include <pelt/runtime/vulkan_functions.h>

namespace pelt::runtime {

// The handles that a game would have; here those of a device that the tests watch.
inline DeviceHandles handles_of(const Device& device, PFN_vkGetInstanceProcAddr entry = vulkan_entry_point()) {
  return {.get_instance_proc_addr = entry,
          .instance = device.instance(),
          .physical = device.physical(),
          .device = device.handle(),
          .queue_family = device.queue_family(),
          .queue = device.queue()};
}

// Makes one allocation for each piece, and counts them.
struct CountingMemory {
  const Device& device;
  VkPhysicalDeviceMemoryProperties properties{};
  std::mutex mutex;
  std::map<VkDeviceMemory, VkDeviceSize> held;
  std::size_t taken = 0;
  VkResult refuse = VK_SUCCESS;
  std::size_t refuse_in = 0;  // 1: the next piece is refused

  explicit CountingMemory(const Device& d) : device(d) {
    reinterpret_cast<PFN_vkGetPhysicalDeviceMemoryProperties>(
        vulkan_entry_point()(device.instance(), "vkGetPhysicalDeviceMemoryProperties"))(device.physical(), &properties);
  }

  MemoryCallbacks callbacks() {
    return {.user = this,
            .allocate =
                [](void* user, const VkMemoryRequirements& requirements, VkMemoryPropertyFlags required,
                   VkMemoryPropertyFlags preferred, bool, const char*, MemoryPiece& piece) {
                  return static_cast<CountingMemory*>(user)->allocate(requirements, required, preferred, piece);
                },
            .free = [](void* user, const MemoryPiece& piece) { static_cast<CountingMemory*>(user)->free(piece); }};
  }

  VkResult allocate(const VkMemoryRequirements& requirements, VkMemoryPropertyFlags required, VkMemoryPropertyFlags,
                    MemoryPiece& piece) {
    const std::lock_guard lock(mutex);
    if (refuse != VK_SUCCESS) return refuse;
    if (refuse_in > 0 && --refuse_in == 0) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    std::uint32_t type = 0;
    while ((requirements.memoryTypeBits >> type & 1u) == 0 ||
           (properties.memoryTypes[type].propertyFlags & required) != required)
      ++type;
    const VkMemoryAllocateInfo info{
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = requirements.size, .memoryTypeIndex = type};
    const VkResult result = device.functions().vkAllocateMemory(device.handle(), &info, nullptr, &piece.memory);
    if (result != VK_SUCCESS) return result;
    const VkMemoryPropertyFlags flags = properties.memoryTypes[type].propertyFlags;
    piece.coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
    if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0)
      device.functions().vkMapMemory(device.handle(), piece.memory, 0, VK_WHOLE_SIZE, 0, &piece.mapped);
    piece.owner = this;
    held[piece.memory] = requirements.size;
    ++taken;
    return VK_SUCCESS;
  }

  void free(const MemoryPiece& piece) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(piece.owner, this);
    EXPECT_EQ(held.erase(piece.memory), 1u);
    device.functions().vkFreeMemory(device.handle(), piece.memory, nullptr);
  }
};

}  // namespace pelt::runtime
