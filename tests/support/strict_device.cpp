// SPDX-License-Identifier: MIT
#include "tests/support/strict_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "runtime/device_internals.h"
#include "runtime/instance.h"
#include "tests/support/vulkan_mask.h"

namespace pelt::test {
namespace {

// The memory types of the masked device.
constexpr std::uint32_t kDeviceLocal = 0;
constexpr std::uint32_t kHostCoherent = 1;
constexpr std::uint32_t kHostCached = 2;
constexpr std::uint32_t kTypeCount = 3;
constexpr std::uint32_t kDeviceHeap = 0;
constexpr std::uint32_t kHostHeap = 1;
constexpr VkDeviceSize kHeapSizes[] = {kStrictDeviceHeap, kStrictHostHeap};

// The state of the mask, which its functions cannot reach otherwise.
struct Behind {
  std::uint32_t memory_type = 0;  // that every type of the mask is
  runtime::InstanceFunctions functions;
  runtime::DeviceFunctions device;

  std::mutex mutex;
  struct Memory {
    std::uint32_t type;
    VkDeviceSize size;
  };
  std::map<VkDeviceMemory, Memory> memories;
  VkDeviceSize used[2] = {};  // bytes of each heap
};
Behind behind;

std::uint32_t heap_of(std::uint32_t type) { return type == kDeviceLocal ? kDeviceHeap : kHostHeap; }

void VKAPI_CALL masked_properties(VkPhysicalDevice physical, VkPhysicalDeviceProperties2* properties) {
  behind.functions.vkGetPhysicalDeviceProperties2(physical, properties);
  VkPhysicalDeviceLimits& limits = properties->properties.limits;
  limits.minStorageBufferOffsetAlignment = kStrictAlignment;
  limits.minUniformBufferOffsetAlignment = kStrictAlignment;
  limits.nonCoherentAtomSize = kStrictAlignment;
  limits.maxStorageBufferRange = kStrictRange;
  limits.maxPerStageDescriptorStorageBuffers = 8;
  limits.maxDescriptorSetStorageBuffers = 8;
  limits.maxPushConstantsSize = 128;
  limits.maxComputeWorkGroupInvocations = 128;
  limits.maxComputeWorkGroupSize[0] = 128;
  limits.maxComputeSharedMemorySize = 16384;
  for (std::uint32_t& count : limits.maxComputeWorkGroupCount) count = 65535;
  for (auto* next = static_cast<VkBaseOutStructure*>(properties->pNext); next != nullptr; next = next->pNext) {
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES)
      reinterpret_cast<VkPhysicalDeviceMaintenance3Properties*>(next)->maxMemoryAllocationSize = kStrictAllocation;
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES)
      reinterpret_cast<VkPhysicalDeviceMaintenance4Properties*>(next)->maxBufferSize = kStrictBuffer;
  }
}

void VKAPI_CALL masked_memory(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* properties) {
  *properties = {};
  properties->memoryHeapCount = 2;
  properties->memoryHeaps[kDeviceHeap] = {kHeapSizes[kDeviceHeap], VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  properties->memoryHeaps[kHostHeap] = {kHeapSizes[kHostHeap], 0};
  properties->memoryTypeCount = kTypeCount;
  properties->memoryTypes[kDeviceLocal] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, kDeviceHeap};
  properties->memoryTypes[kHostCoherent] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                            kHostHeap};
  properties->memoryTypes[kHostCached] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                          kHostHeap};
}

// The budget is the heap, and allocations from it count.
void VKAPI_CALL masked_memory2(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2* properties) {
  masked_memory(physical, &properties->memoryProperties);
  const std::lock_guard lock(behind.mutex);
  for (auto* next = static_cast<VkBaseOutStructure*>(properties->pNext); next != nullptr; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT) continue;
    auto* budgets = reinterpret_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(next);
    for (const std::uint32_t heap : {kDeviceHeap, kHostHeap}) {
      budgets->heapBudget[heap] = kHeapSizes[heap];
      budgets->heapUsage[heap] = behind.used[heap];
    }
  }
}

VkResult VKAPI_CALL masked_create_buffer(VkDevice device, const VkBufferCreateInfo* info,
                                         const VkAllocationCallbacks* callbacks, VkBuffer* buffer) {
  EXPECT_LE(info->size, kStrictBuffer) << "vkCreateBuffer";
  return behind.device.vkCreateBuffer(device, info, callbacks, buffer);
}

void VKAPI_CALL masked_requirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements* requirements) {
  behind.device.vkGetBufferMemoryRequirements(device, buffer, requirements);
  requirements->alignment = std::max(requirements->alignment, kStrictAlignment);
  requirements->memoryTypeBits = 1u << kDeviceLocal | 1u << kHostCached;
}

VkResult VKAPI_CALL masked_allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                    const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  EXPECT_LE(info->allocationSize, kStrictAllocation) << "vkAllocateMemory";
  EXPECT_LT(info->memoryTypeIndex, kTypeCount) << "vkAllocateMemory";
  const std::lock_guard lock(behind.mutex);
  const std::uint32_t heap = heap_of(info->memoryTypeIndex);
  EXPECT_LE(info->allocationSize, kHeapSizes[heap]) << "vkAllocateMemory";
  VkDeviceSize& used = behind.used[heap];
  if (used + info->allocationSize > kHeapSizes[heap]) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  VkMemoryAllocateInfo real = *info;
  real.memoryTypeIndex = behind.memory_type;
  const VkResult result = behind.device.vkAllocateMemory(device, &real, callbacks, memory);
  if (result != VK_SUCCESS) return result;
  used += info->allocationSize;
  behind.memories[*memory] = {info->memoryTypeIndex, info->allocationSize};
  return result;
}

void VKAPI_CALL masked_free(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
  behind.device.vkFreeMemory(device, memory, callbacks);
  const std::lock_guard lock(behind.mutex);
  const auto found = behind.memories.find(memory);
  if (found == behind.memories.end()) return;
  behind.used[heap_of(found->second.type)] -= found->second.size;
  behind.memories.erase(found);
}

VkResult VKAPI_CALL masked_map(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                               VkMemoryMapFlags flags, void** mapped) {
  {
    const std::lock_guard lock(behind.mutex);
    EXPECT_NE(behind.memories.at(memory).type, kDeviceLocal) << "vkMapMemory";
  }
  return behind.device.vkMapMemory(device, memory, offset, size, flags, mapped);
}

void expect_whole_atoms(std::uint32_t count, const VkMappedMemoryRange* ranges) {
  for (std::uint32_t i = 0; i < count; ++i) {
    EXPECT_EQ(ranges[i].offset % kStrictAlignment, 0u) << "a range of mapped memory";
    EXPECT_EQ(ranges[i].size % kStrictAlignment, 0u) << "a range of mapped memory";
  }
}

VkResult VKAPI_CALL masked_flush(VkDevice device, std::uint32_t count, const VkMappedMemoryRange* ranges) {
  expect_whole_atoms(count, ranges);
  return behind.device.vkFlushMappedMemoryRanges(device, count, ranges);
}

VkResult VKAPI_CALL masked_invalidate(VkDevice device, std::uint32_t count, const VkMappedMemoryRange* ranges) {
  expect_whole_atoms(count, ranges);
  return behind.device.vkInvalidateMappedMemoryRanges(device, count, ranges);
}

void VKAPI_CALL masked_descriptors(VkDevice device, std::uint32_t count, const VkWriteDescriptorSet* writes,
                                   std::uint32_t copy_count, const VkCopyDescriptorSet* copies) {
  for (std::uint32_t w = 0; w < count; ++w) {
    EXPECT_LE(writes[w].descriptorCount, 8u) << "vkUpdateDescriptorSets";
    for (std::uint32_t i = 0; writes[w].pBufferInfo != nullptr && i < writes[w].descriptorCount; ++i) {
      EXPECT_EQ(writes[w].pBufferInfo[i].offset % kStrictAlignment, 0u) << "vkUpdateDescriptorSets";
      EXPECT_LE(writes[w].pBufferInfo[i].range, kStrictRange) << "vkUpdateDescriptorSets";
    }
  }
  behind.device.vkUpdateDescriptorSets(device, count, writes, copy_count, copies);
}

struct Strict {
  static PFN_vkVoidFunction masked(std::string_view name, PFN_vkVoidFunction found) {
    if (name == "vkGetPhysicalDeviceProperties2") return untyped(masked_properties);
    if (name == "vkGetPhysicalDeviceMemoryProperties") return untyped(masked_memory);
    if (name == "vkGetPhysicalDeviceMemoryProperties2") return untyped(masked_memory2);
    if (name == "vkCreateBuffer") return untyped(masked_create_buffer);
    if (name == "vkGetBufferMemoryRequirements") return untyped(masked_requirements);
    if (name == "vkAllocateMemory") return untyped(masked_allocate);
    if (name == "vkFreeMemory") return untyped(masked_free);
    if (name == "vkMapMemory") return untyped(masked_map);
    if (name == "vkFlushMappedMemoryRanges") return untyped(masked_flush);
    if (name == "vkInvalidateMappedMemoryRanges") return untyped(masked_invalidate);
    if (name == "vkUpdateDescriptorSets") return untyped(masked_descriptors);
    return found;
  }
};

}  // namespace

Result<runtime::Device> strict_device(const runtime::Device& under) {
  behind.functions = runtime::load_instance_functions(runtime::vulkan_entry_point(), under.instance());
  behind.device = under.functions();
  VkPhysicalDeviceMemoryProperties memory;
  behind.functions.vkGetPhysicalDeviceMemoryProperties(under.physical(), &memory);
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    if ((memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) continue;
    behind.memory_type = type;
    break;
  }
  Result<runtime::Device> made =
      runtime::Device::adopt({.get_instance_proc_addr = MaskedVulkan<Strict>::entry_point,
                              .instance = under.instance(),
                              .physical = under.physical(),
                              .device = under.handle(),
                              .queue_family = under.queue_family(),
                              .queue = under.queue(),
                              .debug_utils = true,
                              .buffer_device_address = under.functions().vkGetBufferDeviceAddress != nullptr});
  if (made) made->internals().pretend_discrete = true;
  return made;
}

}  // namespace pelt::test
