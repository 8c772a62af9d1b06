// SPDX-License-Identifier: MIT
#include "samples/engine/memory.h"

#include <bit>
#include <map>

namespace pelt::samples {

GameMemory::GameMemory(VkDevice device, PFN_vkGetDeviceProcAddr get, const VkPhysicalDeviceMemoryProperties& types,
                       const VkPhysicalDeviceLimits& limits)
    : device_(device),
      allocate_memory_(reinterpret_cast<PFN_vkAllocateMemory>(get(device, "vkAllocateMemory"))),
      free_memory_(reinterpret_cast<PFN_vkFreeMemory>(get(device, "vkFreeMemory"))),
      map_memory_(reinterpret_cast<PFN_vkMapMemory>(get(device, "vkMapMemory"))),
      types_(types),
      atom_(limits.nonCoherentAtomSize) {}

runtime::MemoryCallbacks GameMemory::callbacks() {
  return {.user = this,
          .allocate =
              [](void* user, const VkMemoryRequirements& requirements, VkMemoryPropertyFlags required,
                 VkMemoryPropertyFlags preferred, bool device_address, const char*, runtime::MemoryPiece& piece) {
                // The game does not enable device addresses, so nothing needs them.
                if (device_address) return VK_ERROR_FEATURE_NOT_PRESENT;
                return static_cast<GameMemory*>(user)->allocate(requirements, required, preferred, piece);
              },
          .free = [](void* user, const runtime::MemoryPiece& piece) { static_cast<GameMemory*>(user)->free(piece); }};
}

// Tries all memory types with the required flags, those with the most preferred flags first.
VkResult GameMemory::allocate(const VkMemoryRequirements& requirements, VkMemoryPropertyFlags required,
                              VkMemoryPropertyFlags preferred, runtime::MemoryPiece& piece) {
  std::multimap<int, std::uint32_t> fitting;
  for (std::uint32_t type = 0; type < types_.memoryTypeCount; ++type) {
    const VkMemoryPropertyFlags flags = types_.memoryTypes[type].propertyFlags;
    if ((requirements.memoryTypeBits >> type & 1u) == 0 || (flags & required) != required) continue;
    fitting.emplace(-std::popcount(flags & preferred), type);
  }
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  for (const auto& [missing, type] : fitting) {
    result = allocate_of_type((requirements.size + atom_ - 1) / atom_ * atom_, type, piece);
    if (result == VK_SUCCESS) break;
  }
  return result;
}

VkResult GameMemory::allocate_of_type(VkDeviceSize size, std::uint32_t type, runtime::MemoryPiece& piece) {
  const VkMemoryPropertyFlags flags = types_.memoryTypes[type].propertyFlags;
  const VkMemoryAllocateInfo info{
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = size, .memoryTypeIndex = type};
  piece = {.coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0};
  VkResult result = allocate_memory_(device_, &info, nullptr, &piece.memory);
  if (result != VK_SUCCESS) return result;
  if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
    result = map_memory_(device_, piece.memory, 0, VK_WHOLE_SIZE, 0, &piece.mapped);
    if (result != VK_SUCCESS) {
      free_memory_(device_, piece.memory, nullptr);
      return result;
    }
  }
  ++pieces_;
  return VK_SUCCESS;
}

void GameMemory::free(const runtime::MemoryPiece& piece) {
  free_memory_(device_, piece.memory, nullptr);
  --pieces_;
}

}  // namespace pelt::samples
