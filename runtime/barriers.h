// SPDX-License-Identifier: MIT
// Barriers of Vulkan 1.0, which every device has, from the stages and accesses of synchronization2, which callers name.
#pragma once

#include <vulkan/vulkan_core.h>

#include <span>

#include <pelt/runtime/vulkan_functions.h>

namespace pelt::runtime {

// Return the least that Vulkan 1.0 has of the same work. What it does not know is all work. No stage is 0.
VkPipelineStageFlags plain_stages(VkPipelineStageFlags2 stages);
VkAccessFlags plain_access(VkAccessFlags2 access);

// Records barriers on buffers. All have the stages of the first.
void buffer_barriers(const DeviceFunctions& functions, VkCommandBuffer commands,
                     std::span<const VkBufferMemoryBarrier2> barriers);

}  // namespace pelt::runtime
