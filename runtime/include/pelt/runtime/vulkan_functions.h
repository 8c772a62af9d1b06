// SPDX-License-Identifier: MIT
// Vulkan's functions, loaded at run time: nothing links to the loader, and calls go straight to the driver.
#pragma once

#include <vulkan/vulkan_core.h>

#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt::runtime {

// The functions that Pelt calls on a device, under their own names: functions.vkCmdDispatch(commands, x, y, z). This
// list has the functions that characters and crowds need, all from Vulkan 1.0, and vkTrimCommandPool of 1.1. The latter
// is never called: it reveals devices whose instance was made for 1.0, from which drivers hide it.
#define PELT_REQUIRED_DEVICE_FUNCTIONS(F) \
  F(vkAllocateCommandBuffers)             \
  F(vkAllocateDescriptorSets)             \
  F(vkAllocateMemory)                     \
  F(vkBeginCommandBuffer)                 \
  F(vkBindBufferMemory)                   \
  F(vkCmdBindDescriptorSets)              \
  F(vkCmdBindPipeline)                    \
  F(vkCmdCopyBuffer)                      \
  F(vkCmdDispatch)                        \
  F(vkCmdDispatchIndirect)                \
  F(vkCmdFillBuffer)                      \
  F(vkCmdPipelineBarrier)                 \
  F(vkCmdPushConstants)                   \
  F(vkCmdResetQueryPool)                  \
  F(vkCmdWriteTimestamp)                  \
  F(vkCreateBuffer)                       \
  F(vkCreateCommandPool)                  \
  F(vkCreateComputePipelines)             \
  F(vkCreateDescriptorPool)               \
  F(vkCreateDescriptorSetLayout)          \
  F(vkCreateFence)                        \
  F(vkCreatePipelineLayout)               \
  F(vkCreateQueryPool)                    \
  F(vkCreateShaderModule)                 \
  F(vkDestroyBuffer)                      \
  F(vkDestroyCommandPool)                 \
  F(vkDestroyDescriptorPool)              \
  F(vkDestroyDescriptorSetLayout)         \
  F(vkDestroyDevice)                      \
  F(vkDestroyFence)                       \
  F(vkDestroyPipeline)                    \
  F(vkDestroyPipelineLayout)              \
  F(vkDestroyQueryPool)                   \
  F(vkDestroyShaderModule)                \
  F(vkEndCommandBuffer)                   \
  F(vkFlushMappedMemoryRanges)            \
  F(vkFreeMemory)                         \
  F(vkGetBufferMemoryRequirements)        \
  F(vkGetDeviceQueue)                     \
  F(vkGetQueryPoolResults)                \
  F(vkInvalidateMappedMemoryRanges)       \
  F(vkMapMemory)                          \
  F(vkQueueSubmit)                        \
  F(vkTrimCommandPool)                    \
  F(vkUpdateDescriptorSets)               \
  F(vkWaitForFences)

// Functions that some outputs need: null unless bufferDeviceAddress is enabled.
#define PELT_ADDRESS_FUNCTIONS(F) F(vkGetBufferDeviceAddress)

// Functions of VK_EXT_debug_utils: null unless it is enabled (debug.h).
#define PELT_DEBUG_FUNCTIONS(F)   \
  F(vkCmdBeginDebugUtilsLabelEXT) \
  F(vkCmdEndDebugUtilsLabelEXT)   \
  F(vkSetDebugUtilsObjectNameEXT)

// Functions that the sample programs draw with; crowds do not need them.
#define PELT_DRAWING_FUNCTIONS(F)  \
  F(vkBindImageMemory)             \
  F(vkCmdBeginRenderPass)          \
  F(vkCmdBeginRendering)           \
  F(vkCmdBindIndexBuffer)          \
  F(vkCmdBindVertexBuffers)        \
  F(vkCmdBlitImage)                \
  F(vkCmdClearColorImage)          \
  F(vkCmdCopyBufferToImage)        \
  F(vkCmdCopyImageToBuffer)        \
  F(vkCmdDraw)                     \
  F(vkCmdDrawIndexed)              \
  F(vkCmdDrawIndexedIndirectCount) \
  F(vkCmdEndRenderPass)            \
  F(vkCmdEndRendering)             \
  F(vkCmdPipelineBarrier2)         \
  F(vkCmdSetScissor)               \
  F(vkCmdSetViewport)              \
  F(vkCreateFramebuffer)           \
  F(vkCreateGraphicsPipelines)     \
  F(vkCreateImage)                 \
  F(vkCreateImageView)             \
  F(vkCreateRenderPass)            \
  F(vkCreateSampler)               \
  F(vkCreateSemaphore)             \
  F(vkDestroyFramebuffer)          \
  F(vkDestroyImage)                \
  F(vkDestroyImageView)            \
  F(vkDestroyRenderPass)           \
  F(vkDestroySampler)              \
  F(vkDestroySemaphore)            \
  F(vkDeviceWaitIdle)              \
  F(vkGetImageMemoryRequirements)  \
  F(vkQueueSubmit2)                \
  F(vkResetCommandPool)            \
  F(vkResetFences)                 \
  F(vkWaitSemaphores)

#define PELT_DEVICE_FUNCTIONS(F)    \
  PELT_REQUIRED_DEVICE_FUNCTIONS(F) \
  PELT_ADDRESS_FUNCTIONS(F)         \
  PELT_DEBUG_FUNCTIONS(F)           \
  PELT_DRAWING_FUNCTIONS(F)

struct DeviceFunctions {
#define PELT_MEMBER(name) PFN_##name name = nullptr;
  PELT_DEVICE_FUNCTIONS(PELT_MEMBER)
#undef PELT_MEMBER
};

// Loads all functions by their names, or else by the names of the extensions that they come from (vkQueueSubmit2,
// vkQueueSubmit2KHR). Functions that `get` does not find stay null.
DeviceFunctions load_device_functions(VkDevice device, PFN_vkGetDeviceProcAddr get);

// Returns the names of functions that characters and crowds need and that are null.
std::vector<std::string> missing_functions(const DeviceFunctions& functions);

// Returns the loader's entry point; null if no Vulkan loader is installed. The loader stays open until the process
// ends.
PFN_vkGetInstanceProcAddr vulkan_entry_point();

// Makes the error kOutOfMemory or kDeviceFailed: "cannot ACTION: VK_ERROR_...".
tl::unexpected<Error> vulkan_failure(const std::string& action, VkResult result);

}  // namespace pelt::runtime
