// SPDX-License-Identifier: MIT
// What the runtime's own files share through a Device.
#pragma once

#include <memory>
#include <mutex>

#include "runtime/memory.h"
#include "runtime/pipeline.h"

namespace pelt::runtime {

// Stays where it is while the Device is moved: what is made from a device points here.
struct DeviceInternals {
  VkDevice handle = VK_NULL_HANDLE;
  DeviceFunctions functions;
  VkPhysicalDeviceLimits limits{};
  VkDeviceSize largest_buffer = 0;  // maxBufferSize, bytes
  std::unique_ptr<MemoryAllocator> allocator;
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;  // of the caller's, if there is one
  bool pretend_discrete = false;
  std::uint32_t timestamp_bits = 0;  // of the queue; 0: it has none

  std::mutex queue_mutex;  // held while the queue has work of submit_and_wait

  std::mutex pipelines_mutex;
  std::unique_ptr<SkinningPipelines> pipelines;  // made when the first crowd asks (pipeline.h)
};

}  // namespace pelt::runtime
