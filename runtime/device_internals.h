// SPDX-License-Identifier: MIT
// State that the runtime's own files share through a Device.
#pragma once

#include <memory>
#include <mutex>

#include "runtime/memory_allocator.h"
#include "runtime/skinning_pipelines.h"

namespace pelt::runtime {

// Stays at its address while the Device is moved: the objects made from a device point here.
struct DeviceInternals {
  VkDevice handle = VK_NULL_HANDLE;
  DeviceFunctions functions;
  VkPhysicalDeviceLimits limits{};
  VkDeviceSize largest_buffer = 0;  // maxBufferSize, bytes
  std::unique_ptr<MemoryAllocator> allocator;
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;  // the caller's, or null
  bool pretend_discrete = false;
  std::uint32_t timestamp_bits = 0;  // timestamp bits of the queue; 0: it has no timestamps

  std::mutex queue_mutex;  // held while the queue has work of submit_and_wait
  // Those of submit_and_wait, null before the first. They are kept, since validation layers before 1.3.243 (Debian 12
  // has 1.3.239) forget the labels of a command buffer that is freed while another thread reads labels, and crash.
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;

  std::mutex pipelines_mutex;
  std::mutex making_mutex;      // held while a pipeline is made
  SkinningPipelines pipelines;  // those that a crowd has asked for (skinning_pipelines.h)
};

}  // namespace pelt::runtime
