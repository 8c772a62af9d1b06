// SPDX-License-Identifier: MIT
#include "samples/engine/memory.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace pelt::samples {
namespace {

constexpr VkDeviceSize kBlockSize = VkDeviceSize{32} << 20;

VkDeviceSize round_up(VkDeviceSize value, VkDeviceSize multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Returns the first offset at which a piece fits between the taken ones.
std::optional<VkDeviceSize> find_gap(const std::map<VkDeviceSize, VkDeviceSize>& taken, VkDeviceSize block_size,
                                     VkDeviceSize size, VkDeviceSize alignment) {
  VkDeviceSize at = 0;
  for (const auto& [offset, length] : taken) {
    if (at + size <= offset) return at;
    at = round_up(offset + length, alignment);
  }
  return at + size <= block_size ? std::optional(at) : std::nullopt;
}

}  // namespace

GameMemory::GameMemory(VkDevice device, PFN_vkGetDeviceProcAddr get, const VkPhysicalDeviceMemoryProperties& types,
                       const VkPhysicalDeviceLimits& limits)
    : device_(device),
      allocate_memory_(reinterpret_cast<PFN_vkAllocateMemory>(get(device, "vkAllocateMemory"))),
      free_memory_(reinterpret_cast<PFN_vkFreeMemory>(get(device, "vkFreeMemory"))),
      map_memory_(reinterpret_cast<PFN_vkMapMemory>(get(device, "vkMapMemory"))),
      types_(types),
      granularity_(std::max(limits.bufferImageGranularity, limits.nonCoherentAtomSize)) {}

GameMemory::~GameMemory() {
  for (const Block& block : blocks_) free_memory_(device_, block.memory, nullptr);
}

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

GameMemory::Totals GameMemory::totals() const {
  const std::lock_guard lock(mutex_);
  Totals totals{.blocks = blocks_.size()};
  for (const Block& block : blocks_) {
    totals.held += block.size;
    totals.pieces += block.taken.size();
    for (const auto& [offset, size] : block.taken) totals.used += size;
  }
  return totals;
}

// Tries all memory types with the required flags, those with the most preferred flags first.
VkResult GameMemory::allocate(const VkMemoryRequirements& requirements, VkMemoryPropertyFlags required,
                              VkMemoryPropertyFlags preferred, runtime::MemoryPiece& piece) {
  const std::lock_guard lock(mutex_);
  VkMemoryRequirements rounded = requirements;
  rounded.alignment = std::max(requirements.alignment, granularity_);
  rounded.size = round_up(requirements.size, granularity_);
  std::multimap<int, std::uint32_t> fitting;
  for (std::uint32_t type = 0; type < types_.memoryTypeCount; ++type) {
    const VkMemoryPropertyFlags flags = types_.memoryTypes[type].propertyFlags;
    if ((requirements.memoryTypeBits >> type & 1u) == 0 || (flags & required) != required) continue;
    fitting.emplace(-std::popcount(flags & preferred), type);
  }
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  for (const auto& [missing, type] : fitting) {
    result = allocate_of_type(rounded, type, piece);
    if (result == VK_SUCCESS) break;
  }
  return result;
}

VkResult GameMemory::allocate_of_type(const VkMemoryRequirements& requirements, std::uint32_t type,
                                      runtime::MemoryPiece& piece) {
  for (Block& block : blocks_) {
    if (block.type != type) continue;
    const auto offset = find_gap(block.taken, block.size, requirements.size, requirements.alignment);
    if (!offset) continue;
    piece = take(block, *offset, requirements.size);
    return VK_SUCCESS;
  }
  const VkDeviceSize heap = types_.memoryHeaps[types_.memoryTypes[type].heapIndex].size;
  const VkResult made = make_block(type, std::max(std::min(kBlockSize, heap / 16), requirements.size));
  if (made == VK_SUCCESS) piece = take(blocks_.back(), 0, requirements.size);
  return made;
}

VkResult GameMemory::make_block(std::uint32_t type, VkDeviceSize size) {
  Block block{.type = type, .size = size};
  const VkMemoryAllocateInfo info{
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = size, .memoryTypeIndex = type};
  VkResult result = allocate_memory_(device_, &info, nullptr, &block.memory);
  if (result != VK_SUCCESS) return result;
  if ((types_.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
    void* mapped = nullptr;
    result = map_memory_(device_, block.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (result != VK_SUCCESS) {
      free_memory_(device_, block.memory, nullptr);
      return result;
    }
    block.mapped = static_cast<std::byte*>(mapped);
  }
  blocks_.push_back(std::move(block));
  return VK_SUCCESS;
}

runtime::MemoryPiece GameMemory::take(Block& block, VkDeviceSize offset, VkDeviceSize size) const {
  block.taken.emplace(offset, size);
  const VkMemoryPropertyFlags flags = types_.memoryTypes[block.type].propertyFlags;
  return {.memory = block.memory,
          .offset = offset,
          .mapped = block.mapped == nullptr ? nullptr : block.mapped + offset,
          .coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0,
          .owner = &block};
}

// Keeps empty blocks for reuse, except those made for one large piece.
void GameMemory::free(const runtime::MemoryPiece& piece) {
  const std::lock_guard lock(mutex_);
  Block& block = *static_cast<Block*>(piece.owner);
  block.taken.erase(piece.offset);
  if (!block.taken.empty() || block.size <= kBlockSize) return;
  free_memory_(device_, block.memory, nullptr);
  blocks_.remove_if([&](const Block& other) { return &other == &block; });
}

}  // namespace pelt::samples
