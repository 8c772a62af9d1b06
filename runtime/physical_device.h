// SPDX-License-Identifier: MIT
// The choice of a physical device, and what a device needs for the runtime.
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

// Storage buffers that a shader reads or writes at most: as many as every device of the profile binds at once.
inline constexpr std::uint32_t kMaxStorageBuffers = 8;

struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceDescription description;
  VkPhysicalDeviceLimits limits{};
  std::uint32_t version = 0;  // of Vulkan, at most the instance's where Pelt made it
  // maxBufferSize, bytes; without Vulkan 1.3 and VK_KHR_maintenance4 a device does not say it.
  VkDeviceSize largest_buffer = VK_WHOLE_SIZE;
  VkDeviceSize largest_allocation = 0;  // maxMemoryAllocationSize, bytes
  bool has_memory_budget = false;       // VK_EXT_memory_budget
};

// `most_version`: the instance's version of Vulkan, if it is known.
PhysicalDevice describe_physical_device(const InstanceFunctions& functions, VkPhysicalDevice handle,
                                        std::uint32_t most_version = UINT32_MAX);
Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance);

// Returns the index of the device that `select` names, by its index or a part of its name, or of the most capable one
// if it is empty. The device may be unusable.
Result<std::size_t> choose_physical_device(std::span<const PhysicalDevice> devices, const std::string& select);

std::vector<VkExtensionProperties> device_extensions(const InstanceFunctions& functions, VkPhysicalDevice physical);
std::vector<MemoryHeap> memory_heaps(const InstanceFunctions& functions, const PhysicalDevice& physical);
std::vector<VkQueueFamilyProperties> queue_families(const InstanceFunctions& functions, VkPhysicalDevice physical);
// Returns the first family with compute and graphics, or else with compute.
std::optional<std::uint32_t> compute_family(std::span<const VkQueueFamilyProperties> families);

}  // namespace pelt::runtime
