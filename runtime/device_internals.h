// SPDX-License-Identifier: MIT
// Private state that the runtime's files share through a Device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/crowd_frame.h>

#include "runtime/memory_allocator.h"

namespace pelt::runtime {

// Stays at its address when the Device is moved, because objects made from the device point here.
struct DeviceInternals {
  VkDevice handle = VK_NULL_HANDLE;
  DeviceFunctions functions;
  VkPhysicalDeviceLimits limits{};
  VkDeviceSize largest_buffer = 0;  // maxBufferSize, bytes
  std::unique_ptr<MemoryAllocator> allocator;
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;  // the caller's, or null
  bool pretend_discrete = false;
  std::uint32_t timestamp_bits = 0;  // of the queue; 0: it has no timestamps

  std::mutex queue_mutex;  // locked while submit_and_wait uses the queue
  // For submit_and_wait; null before its first call. They are never freed: in validation layers before 1.3.243 (Debian
  // 12 has 1.3.239), freeing a command buffer's labels while another thread reads labels crashes.
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  void forget_pool() { pool = VK_NULL_HANDLE, commands = VK_NULL_HANDLE; }

  std::mutex pipelines_mutex;
  std::mutex making_mutex;  // locked while a pipeline is made
  // Made so far (pipeline_of), by their shaders and specialization constants.
  std::map<std::pair<const std::uint32_t*, std::vector<std::uint32_t>>, ComputeKernel> pipelines;
};

// Returns the pipeline of a kernel, which is made on first use and kept. Thread-safe.
Result<const ComputeKernel*> pipeline_of(const Device& device, const Kernel& kernel);

}  // namespace pelt::runtime
