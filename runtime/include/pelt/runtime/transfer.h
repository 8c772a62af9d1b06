// SPDX-License-Identifier: MIT
// Functions that submit work and wait for it: for loading, reading back, tools and tests, not for frames.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

namespace pelt::runtime {

// Records commands, submits them to the device's queue and waits until they have finished. `name` labels them.
// Functions of this header may be called concurrently (they run one at a time), but not from `record`. Other code must
// not submit to Device::queue() or wait for it meanwhile. Errors: kDeviceFailed, also after ten minutes: the device
// hangs, and objects that the commands use must not be destroyed.
Result<void> submit_and_wait(const Device& device, const std::string& name,
                             const std::function<void(VkCommandBuffer commands)>& record);

// Copies to a buffer with VK_BUFFER_USAGE_TRANSFER_DST_BIT, through staging memory, and waits.
Result<void> write_buffer(const Device& device, VkBuffer buffer, VkDeviceSize offset, std::span<const std::byte> bytes);

// Copies from a buffer with VK_BUFFER_USAGE_TRANSFER_SRC_BIT, after all submitted work, and waits.
Result<std::vector<std::byte>> read_buffer(const Device& device, VkBuffer buffer, VkDeviceSize offset,
                                           VkDeviceSize size);

// Records a barrier on all memory, with the fewest Vulkan 1.0 flags that cover these stages and accesses.
void memory_barrier(const DeviceFunctions& functions, VkCommandBuffer commands, VkPipelineStageFlags2 from_stages,
                    VkAccessFlags2 from_access, VkPipelineStageFlags2 to_stages, VkAccessFlags2 to_access);

}  // namespace pelt::runtime
