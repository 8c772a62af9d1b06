// SPDX-License-Identifier: MIT
// Functions that submit work and wait for it: for loading, reading back, tools and tests. None of them belongs in a
// frame.
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

// Records commands, submits them on the device's queue and waits until they are done. `name` labels them. The functions
// of this header may be called from several threads at once (one waits for the other), but not by `record`. Other code
// must not submit to Device::queue() or wait for it while one of them runs. Errors: kDeviceFailed, also if the device
// is not done after ten minutes: it hangs, and what the commands use must not be destroyed.
Result<void> submit_and_wait(const Device& device, const std::string& name,
                             const std::function<void(VkCommandBuffer commands)>& record);

// Bytes to write, and their offset in a buffer.
struct BufferWrite {
  VkDeviceSize offset = 0;
  std::span<const std::byte> bytes;
};

// Copies to a buffer with VK_BUFFER_USAGE_TRANSFER_DST_BIT, through staging memory, and waits.
Result<void> write_buffer(const Device& device, VkBuffer buffer, std::span<const BufferWrite> writes);

// Copies from a buffer with VK_BUFFER_USAGE_TRANSFER_SRC_BIT, after everything submitted before, and waits.
Result<std::vector<std::byte>> read_buffer(const Device& device, VkBuffer buffer, VkDeviceSize offset,
                                           VkDeviceSize size);

// Records a barrier on all memory, by the least that Vulkan 1.0 has of these stages and accesses.
void memory_barrier(const DeviceFunctions& functions, VkCommandBuffer commands, VkPipelineStageFlags2 from_stages,
                    VkAccessFlags2 from_access, VkPipelineStageFlags2 to_stages, VkAccessFlags2 to_access);

}  // namespace pelt::runtime
