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

// Times every method on `instances` of a mesh of `vertices`, by the device's own clock. Errors: the device has no
// timestamps.
Result<std::vector<BenchRow>> bench_gpu(const runtime::Device& device, std::uint32_t vertices, std::uint32_t instances,
                                        std::size_t rounds);

// Submits what `record` records, waits, and returns the seconds that the device took. `timer` has two stamps.
Result<double> device_seconds(const runtime::Device& device, runtime::GpuTimer& timer,
                              const std::function<void(VkCommandBuffer)>& record);

}  // namespace pelt::samples
