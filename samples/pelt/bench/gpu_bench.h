// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <pelt/result.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/gpu_timer.h>

#include "samples/pelt/bench/workload.h"
#include "samples/pelt/table.h"

namespace pelt::samples {

// Times methods, including linear blend with 4 influences, on `instances` of a mesh of `vertices`, by the device's
// clock. Errors: the device has no timestamps, or cannot bind a crowd of that size.
Result<Json> bench_gpu(const runtime::Device& device, std::span<const Method> methods, std::uint32_t vertices,
                       std::uint32_t instances, std::size_t rounds);

// Submits the commands of `record`, waits, and returns the device's seconds. `timer` has two stamps.
Result<double> device_seconds(const runtime::Device& device, runtime::GpuTimer& timer,
                              const std::function<void(VkCommandBuffer)>& record);

}  // namespace pelt::samples
