// SPDX-License-Identifier: MIT
#include "runtime/memory_allocator.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "engine/character/base/formatted.h"
#include "engine/character/base/invalid.h"
#include "runtime/device_internals.h"

namespace pelt::runtime {
namespace {

constexpr VkDeviceSize kBlockSize = VkDeviceSize{64} << 20;

constexpr VkDeviceSize round_up(VkDeviceSize value, VkDeviceSize step) { return (value + step - 1) / step * step; }

// The memory properties that a type must have, should have, and should not have.
struct TypeWish {
  VkMemoryPropertyFlags required;
  VkMemoryPropertyFlags wanted_most;
  VkMemoryPropertyFlags wanted;
  VkMemoryPropertyFlags unwanted;
};

TypeWish wish_for(MemoryUse use) {
  constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  constexpr VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  switch (use) {
    case MemoryUse::kDeviceLocal:
      return {0, local, 0, visible};
    case MemoryUse::kStream:
      return {visible, local, coherent, cached};
    case MemoryUse::kStaging:
      return {visible, coherent, 0, local | cached};
    case MemoryUse::kReadback:
      return {visible, cached, coherent, local};
  }
  return {};
}

}  // namespace

Allocation::~Allocation() {
  if (allocator_ != nullptr) allocator_->release(*this);
}

Allocation& Allocation::operator=(Allocation&& other) noexcept {
  std::swap(allocator_, other.allocator_);
  std::swap(piece_, other.piece_);
  std::swap(size_, other.size_);
  return *this;
}

MemoryAllocator::MemoryAllocator(VkDevice device, const DeviceFunctions& functions,
                                 const VkPhysicalDeviceMemoryProperties& memory, const VkPhysicalDeviceLimits& limits,
                                 VkDeviceSize largest_allocation, const MemoryCallbacks& callbacks,
                                 std::function<std::vector<MemoryHeap>()> heaps)
    : device_(device),
      functions_(functions),
      memory_(memory),
      granularity_(std::max({limits.bufferImageGranularity, limits.nonCoherentAtomSize, VkDeviceSize{16}})),
      largest_allocation_(largest_allocation),
      callbacks_(callbacks),
      heaps_(std::move(heaps)) {}

MemoryAllocator::~MemoryAllocator() {
  for (const Block& block : blocks_) functions_.vkFreeMemory(device_, block.memory, nullptr);
}

std::vector<std::uint32_t> MemoryAllocator::types_for(std::uint32_t allowed, MemoryUse use) const {
  const TypeWish wish = wish_for(use);
  // Types with other properties (protected, lazily allocated, vendor-specific) need features that are not enabled.
  constexpr VkMemoryPropertyFlags known = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  const auto score = [&](std::uint32_t type) {
    const VkMemoryPropertyFlags flags = memory_.memoryTypes[type].propertyFlags;
    return 4 * std::popcount(flags & wish.wanted_most) + 2 * std::popcount(flags & wish.wanted) -
           std::popcount(flags & wish.unwanted);
  };
  std::vector<std::uint32_t> types;
  for (std::uint32_t type = 0; type < memory_.memoryTypeCount; ++type) {
    const VkMemoryPropertyFlags flags = memory_.memoryTypes[type].propertyFlags;
    if ((allowed >> type & 1u) != 0 && (flags & wish.required) == wish.required && (flags & ~known) == 0) {
      types.push_back(type);
    }
  }
  std::stable_sort(types.begin(), types.end(), [&](auto a, auto b) { return score(a) > score(b); });
  return types;
}

// Returns the bytes that are left in the budget of a type's heap.
VkDeviceSize MemoryAllocator::budget_left(std::uint32_t type) const {
  const MemoryHeap heap = heaps_()[memory_.memoryTypes[type].heapIndex];
  const VkDeviceSize budget = heap.budget.value_or(heap.size);
  return budget - std::min(budget, heap.usage);
}

VkResult MemoryAllocator::add_block(std::uint32_t type, VkDeviceSize size, bool device_address) {
  Block block{.size = size, .type = type, .device_address = device_address, .free = FreeRanges(size)};
  blocks_.reserve(blocks_.size() + 1);  // nothing may throw once the block exists
  const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .pNext = device_address ? &flags : nullptr,
                                  .allocationSize = size,
                                  .memoryTypeIndex = type};
  VkResult result = functions_.vkAllocateMemory(device_, &info, nullptr, &block.memory);
  if (result != VK_SUCCESS) return result;
  if ((memory_.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
    void* mapped = nullptr;
    result = functions_.vkMapMemory(device_, block.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (result != VK_SUCCESS) {
      functions_.vkFreeMemory(device_, block.memory, nullptr);
      return result;
    }
    block.mapped = static_cast<std::byte*>(mapped);
  }
  blocks_.push_back(std::move(block));
  return VK_SUCCESS;
}

bool MemoryAllocator::take(Block& block, VkDeviceSize size, VkDeviceSize alignment, Allocation& out) {
  const std::optional<std::uint64_t> offset = block.free.take(size, alignment);
  if (!offset) return false;
  out.allocator_ = this;
  out.size_ = size;
  out.piece_ = {
      .memory = block.memory,
      .offset = *offset,
      .mapped = block.mapped == nullptr ? nullptr : block.mapped + *offset,
      .coherent = (memory_.memoryTypes[block.type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0};
  return true;
}

Result<Allocation> MemoryAllocator::allocate(const VkMemoryRequirements& requirements, MemoryUse use,
                                             const std::string& what, bool device_address) {
  const VkDeviceSize alignment = std::max(requirements.alignment, granularity_);
  const VkDeviceSize size = round_up(requirements.size, granularity_);
  if (size > largest_allocation_) {
    return fail(ErrorCode::kUnsupported,
                formatted("{}: {} bytes are more than the device allocates at once, {} (maxMemoryAllocationSize)", what,
                          requirements.size, largest_allocation_));
  }
  if (callbacks_.allocate != nullptr) return allocate_from_caller(requirements, use, what, device_address);
  const std::lock_guard lock(mutex_);
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  bool over_budget = false;
  Allocation allocation;
  for (const std::uint32_t type : types_for(requirements.memoryTypeBits, use)) {
    for (Block& block : blocks_) {
      if (block.type == type && block.device_address == device_address && take(block, size, alignment, allocation))
        return allocation;
    }
    // A piece of half a block or more gets its own block: little is wasted, and the block is freed with the piece.
    const VkDeviceSize heap = memory_.memoryHeaps[memory_.memoryTypes[type].heapIndex].size;
    if (size > heap) continue;
    const VkDeviceSize block_size = round_up(std::min({kBlockSize, heap / 16, largest_allocation_ / 2}), granularity_);
    const VkDeviceSize left = budget_left(type);
    if (size > left) {
      over_budget = true;
      continue;
    }
    result = add_block(type, size >= block_size / 2 || block_size > left ? size : block_size, device_address);
    if (result == VK_SUCCESS && take(blocks_.back(), size, alignment, allocation)) return allocation;
  }
  if (over_budget && result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
    return fail(ErrorCode::kOutOfMemory,
                formatted("cannot take {} bytes for {}: they exceed the memory budget of the process",
                          requirements.size, what));
  }
  return vulkan_failure(formatted("take {} bytes for {}", requirements.size, what), result);
}

// Rounds alignment and size like pieces of blocks, since flushes and invalidations round outwards.
Result<Allocation> MemoryAllocator::allocate_from_caller(const VkMemoryRequirements& requirements, MemoryUse use,
                                                         const std::string& what, bool device_address) {
  VkMemoryRequirements rounded = requirements;
  rounded.alignment = std::max(requirements.alignment, granularity_);
  rounded.size = round_up(requirements.size, granularity_);
  rounded.memoryTypeBits = 0;
  for (const std::uint32_t type : types_for(requirements.memoryTypeBits, use)) rounded.memoryTypeBits |= 1u << type;
  const TypeWish wish = wish_for(use);
  Allocation allocation;
  MemoryPiece& piece = allocation.piece_;
  const VkResult result =
      callbacks_.allocate(callbacks_.user, rounded, wish.required, wish.required | wish.wanted_most | wish.wanted,
                          device_address, what.c_str(), piece);
  if (result != VK_SUCCESS) {
    return vulkan_failure(formatted("take {} bytes of the caller's memory for {}", rounded.size, what), result);
  }
  allocation.allocator_ = this;
  allocation.size_ = rounded.size;
  if (piece.memory == VK_NULL_HANDLE || piece.offset % rounded.alignment != 0 ||
      ((wish.required & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0 && piece.mapped == nullptr)) {
    return invalid("the caller's memory for {} is null, misaligned, or not mapped although it must be", what);
  }
  return allocation;
}

void MemoryAllocator::release(const Allocation& allocation) {
  if (callbacks_.free != nullptr) {
    callbacks_.free(callbacks_.user, allocation.piece_);
    return;
  }
  const std::lock_guard lock(mutex_);
  const auto block = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const Block& candidate) { return candidate.memory == allocation.memory(); });
  block->free.give_back(allocation.offset(), allocation.size());
  if (block->free.free() == block->size) {
    functions_.vkFreeMemory(device_, block->memory, nullptr);
    blocks_.erase(block);
  }
}

Result<Allocation> allocate(const Device& device, const VkMemoryRequirements& requirements, MemoryUse use,
                            const std::string& name) {
  return device.internals().allocator->allocate(requirements, use, name);
}

}  // namespace pelt::runtime
