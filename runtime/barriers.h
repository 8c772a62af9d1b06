// SPDX-License-Identifier: MIT
// Barriers of Vulkan 1.0, which every device has, from stages and accesses of synchronization2.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <span>

#include <pelt/runtime/vulkan_functions.h>

namespace pelt::runtime {

// Return the fewest flags of Vulkan 1.0 that cover the same work: all work for a flag with no counterpart, 0 for none.
VkPipelineStageFlags plain_stages(VkPipelineStageFlags2 stages);
VkAccessFlags plain_access(VkAccessFlags2 access);

// Records barriers on at most kMaxBufferBarriers buffers. All have the stages of the first.
inline constexpr std::size_t kMaxBufferBarriers = 8;
void buffer_barriers(const DeviceFunctions& functions, VkCommandBuffer commands,
                     std::span<const VkBufferMemoryBarrier2> barriers);

}  // namespace pelt::runtime
