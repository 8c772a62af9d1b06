// SPDX-License-Identifier: MIT
// The measurements of `pelt bench`.
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

// Times binding the built-in limb with default surface FFD, on all threads: to a coarse limb of 2,000 triangles around
// it, and to a driver of similar size simplified from the skin. `vertices` are rounded to whole squares.
Result<Json> bench_bind(std::span<const std::uint32_t> vertices, std::size_t rounds);

// Times every method at each number of vertices, on one pinned thread and on all: positions, normals and tangents.
Result<Json> bench_cpu(std::span<const std::uint32_t> vertices, std::size_t rounds);

// Times crowds of 1, 10, 100, ... up to `most` instances of the built-in biped: with surface FFD, with linear blend,
// and with four deformers in equal parts, the size rounded up to a multiple of four. If the device cannot bind a crowd,
// its row has a "refusal". Errors: the device has no timestamps.
Result<Json> bench_crowds(const runtime::Device& device, std::uint32_t most, std::size_t rounds);

// Times methods, including linear blend with 4 influences, on `instances` of a mesh of `vertices`, by the device's
// clock. Errors: the device has no timestamps, or cannot bind a crowd of that size.
Result<Json> bench_gpu(const runtime::Device& device, std::span<const Method> methods, std::uint32_t vertices,
                       std::uint32_t instances, std::size_t rounds);

// Submits the commands of `record`, waits, and returns the device's seconds. `timer` has two stamps.
Result<double> device_seconds(const runtime::Device& device, runtime::GpuTimer& timer,
                              const std::function<void(VkCommandBuffer)>& record);

}  // namespace pelt::samples
