// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/gpu_timer.h>

#include "samples/pelt/bench/row.h"

namespace pelt::samples {

// Every method on `instances` of a mesh of `vertices`, timed by the device itself. Errors: no timestamps.
Result<std::vector<BenchRow>> bench_gpu(const runtime::Device& device, std::uint32_t vertices, std::uint32_t instances,
                                        std::size_t rounds);

// Seconds that the device takes for what `record` records, which is submitted and waited for. `timer`: of two stamps.
Result<double> device_seconds(const runtime::Device& device, runtime::GpuTimer& timer,
                              const std::function<void(VkCommandBuffer)>& record);

}  // namespace pelt::samples
