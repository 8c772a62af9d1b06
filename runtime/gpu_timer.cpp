// SPDX-License-Identifier: MIT
#include <cassert>

#include <pelt/runtime/debug.h>
#include <pelt/runtime/gpu_timer.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "runtime/device_internals.h"

namespace pelt::runtime {

bool GpuTimer::supported(const Device& device) {
  return device.internals().timestamp_bits > 0 && device.limits().timestampPeriod > 0;
}

Result<GpuTimer> GpuTimer::create(const Device& device, std::uint32_t capacity) {
  if (!supported(device)) {
    return fail(ErrorCode::kUnsupported, device.description().name + " has no timestamps on its compute queue");
  }
  GpuTimer timer;
  timer.device_ = &device.internals();
  timer.capacity_ = capacity;
  const VkQueryPoolCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = capacity};
  const DeviceFunctions& functions = device.functions();
  PELT_ASSIGN(timer.pool_, make_object<VkQueryPool>(device, functions.vkCreateQueryPool, functions.vkDestroyQueryPool,
                                                    info, "a query pool"));
  set_name(device, VK_OBJECT_TYPE_QUERY_POOL, timer.pool_.get(), "timestamps");
  return timer;
}

void GpuTimer::reset(VkCommandBuffer commands) {
  device_->functions.vkCmdResetQueryPool(commands, pool_.get(), 0, capacity_);
  stamps_ = 0;
}

void GpuTimer::stamp(VkCommandBuffer commands) {
  assert(stamps_ < capacity_);
  device_->functions.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_.get(), stamps_++);
}

Result<std::vector<double>> GpuTimer::seconds() const {
  std::vector<std::uint64_t> ticks(stamps_);
  if (stamps_ > 0) {
    const VkResult result = device_->functions.vkGetQueryPoolResults(device_->handle, pool_.get(), 0, stamps_,
                                                                     ticks.size() * sizeof(std::uint64_t), ticks.data(),
                                                                     sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT);
    if (result == VK_NOT_READY) {
      return fail(
          ErrorCode::kUnsupported,
          formatted("the {} timestamps are not available yet: the commands that write them have not finished, or were "
                    "not submitted",
                    stamps_));
    }
    if (result != VK_SUCCESS) return vulkan_failure("read timestamps", result);
  }
  // Only the valid bits count; they may wrap between two stamps.
  const std::uint32_t bits = device_->timestamp_bits;
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  std::vector<double> seconds;
  for (const std::uint64_t tick : ticks) {
    seconds.push_back(static_cast<double>((tick - ticks[0]) & mask) * 1e-9 * device_->limits.timestampPeriod);
  }
  return seconds;
}

}  // namespace pelt::runtime
