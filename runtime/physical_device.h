// SPDX-License-Identifier: MIT
// Selects a physical device, and checks that it meets the device profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "runtime/instance.h"

namespace pelt::runtime {

// The most storage buffers that a shader may bind: the device profile guarantees this many.
inline constexpr std::uint32_t kMaxStorageBuffers = 8;

struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceDescription description;
  VkPhysicalDeviceLimits limits{};
  std::uint32_t version = 0;  // of Vulkan; at most the instance's if Pelt made it
  // maxBufferSize, bytes; devices without Vulkan 1.3 or VK_KHR_maintenance4 do not report it.
  VkDeviceSize largest_buffer = VK_WHOLE_SIZE;
  VkDeviceSize largest_allocation = 0;  // maxMemoryAllocationSize, bytes
  bool has_memory_budget = false;       // VK_EXT_memory_budget
};

// `most_version`: the instance's version of Vulkan, if it is known.
PhysicalDevice describe_physical_device(const InstanceFunctions& functions, VkPhysicalDevice handle,
                                        std::uint32_t most_version = UINT32_MAX);
Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance);

// Returns the index of the device that `select` names by index or by part of its name; empty: the most capable device.
// The device may be unusable.
Result<std::size_t> choose_physical_device(std::span<const PhysicalDevice> devices, const std::string& select);

std::vector<VkExtensionProperties> device_extensions(const InstanceFunctions& functions, VkPhysicalDevice physical);
std::vector<MemoryHeap> memory_heaps(const InstanceFunctions& functions, const PhysicalDevice& physical);
std::vector<VkQueueFamilyProperties> queue_families(const InstanceFunctions& functions, VkPhysicalDevice physical);
// Returns the first family with compute and graphics, or else the first with compute.
std::optional<std::uint32_t> compute_family(std::span<const VkQueueFamilyProperties> families);

}  // namespace pelt::runtime
