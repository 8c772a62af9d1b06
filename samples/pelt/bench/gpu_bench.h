// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/result.h"
#include "runtime/device.h"
#include "samples/pelt/bench/row.h"

namespace pelt::samples {

// Every method on `instances` of a mesh of `vertices`, timed by the device itself. Errors: no timestamps.
Result<std::vector<BenchRow>> bench_gpu(const runtime::Device& device, std::uint32_t vertices, std::uint32_t instances,
                                        std::size_t rounds);

}  // namespace pelt::samples
