// SPDX-License-Identifier: MIT
// Vulkan's functions, asked of the loader at run time: nothing links to it, and a call goes straight to the driver.
#pragma once

#include <vulkan/vulkan_core.h>

#include <string>

#include "engine/core/result.h"

namespace pelt::runtime {

// The functions that Pelt calls on a device, under their own names: functions.vkCmdDispatch(commands, x, y, z).
// Those of VK_EXT_debug_utils are null where it is not enabled (debug.h).
#define PELT_DEVICE_FUNCTIONS(F)    \
  F(vkAllocateCommandBuffers)       \
  F(vkAllocateDescriptorSets)       \
  F(vkAllocateMemory)               \
  F(vkBeginCommandBuffer)           \
  F(vkBindBufferMemory)             \
  F(vkBindImageMemory)              \
  F(vkCmdBeginDebugUtilsLabelEXT)   \
  F(vkCmdBeginRenderPass)           \
  F(vkCmdBeginRendering)            \
  F(vkCmdBindDescriptorSets)        \
  F(vkCmdBindIndexBuffer)           \
  F(vkCmdBindPipeline)              \
  F(vkCmdBlitImage)                 \
  F(vkCmdClearColorImage)           \
  F(vkCmdCopyBuffer)                \
  F(vkCmdCopyBufferToImage)         \
  F(vkCmdCopyImageToBuffer)         \
  F(vkCmdDispatch)                  \
  F(vkCmdDispatchIndirect)          \
  F(vkCmdDraw)                      \
  F(vkCmdDrawIndexed)               \
  F(vkCmdEndDebugUtilsLabelEXT)     \
  F(vkCmdEndRenderPass)             \
  F(vkCmdEndRendering)              \
  F(vkCmdFillBuffer)                \
  F(vkCmdPipelineBarrier2)          \
  F(vkCmdPushConstants)             \
  F(vkCmdResetQueryPool)            \
  F(vkCmdSetScissor)                \
  F(vkCmdSetViewport)               \
  F(vkCmdWriteTimestamp2)           \
  F(vkCreateBuffer)                 \
  F(vkCreateCommandPool)            \
  F(vkCreateComputePipelines)       \
  F(vkCreateDescriptorPool)         \
  F(vkCreateDescriptorSetLayout)    \
  F(vkCreateFence)                  \
  F(vkCreateFramebuffer)            \
  F(vkCreateGraphicsPipelines)      \
  F(vkCreateImage)                  \
  F(vkCreateImageView)              \
  F(vkCreatePipelineLayout)         \
  F(vkCreateQueryPool)              \
  F(vkCreateRenderPass)             \
  F(vkCreateSampler)                \
  F(vkCreateSemaphore)              \
  F(vkCreateShaderModule)           \
  F(vkDestroyBuffer)                \
  F(vkDestroyCommandPool)           \
  F(vkDestroyDescriptorPool)        \
  F(vkDestroyDescriptorSetLayout)   \
  F(vkDestroyDevice)                \
  F(vkDestroyFence)                 \
  F(vkDestroyFramebuffer)           \
  F(vkDestroyImage)                 \
  F(vkDestroyImageView)             \
  F(vkDestroyPipeline)              \
  F(vkDestroyPipelineLayout)        \
  F(vkDestroyQueryPool)             \
  F(vkDestroyRenderPass)            \
  F(vkDestroySampler)               \
  F(vkDestroySemaphore)             \
  F(vkDestroyShaderModule)          \
  F(vkDeviceWaitIdle)               \
  F(vkEndCommandBuffer)             \
  F(vkFlushMappedMemoryRanges)      \
  F(vkFreeMemory)                   \
  F(vkGetBufferDeviceAddress)       \
  F(vkGetBufferMemoryRequirements)  \
  F(vkGetDeviceQueue)               \
  F(vkGetImageMemoryRequirements)   \
  F(vkGetQueryPoolResults)          \
  F(vkInvalidateMappedMemoryRanges) \
  F(vkMapMemory)                    \
  F(vkQueueSubmit2)                 \
  F(vkResetCommandPool)             \
  F(vkResetFences)                  \
  F(vkSetDebugUtilsObjectNameEXT)   \
  F(vkUpdateDescriptorSets)         \
  F(vkWaitForFences)

struct DeviceFunctions {
#define PELT_MEMBER(name) PFN_##name name = nullptr;
  PELT_DEVICE_FUNCTIONS(PELT_MEMBER)
#undef PELT_MEMBER
};

// Functions that `get` does not know stay null.
DeviceFunctions load_device_functions(VkDevice device, PFN_vkGetDeviceProcAddr get);

// The loader's entry point; null where no Vulkan loader is installed. The loader stays open until the process ends.
PFN_vkGetInstanceProcAddr vulkan_entry_point();

// kDeviceFailed: "cannot ACTION: VK_ERROR_...".
tl::unexpected<Error> vulkan_failure(const std::string& action, VkResult result);

}  // namespace pelt::runtime
