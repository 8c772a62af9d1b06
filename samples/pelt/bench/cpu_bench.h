// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pelt/result.h>

#include "samples/pelt/bench/row.h"

namespace pelt::samples {

// Times every method at each number of vertices, on one pinned thread and on all: positions, normals and tangents.
Result<std::vector<BenchRow>> bench_cpu(std::span<const std::uint32_t> vertices, std::size_t rounds);

// Times the engine's kernel and the baselines (baseline.h) on four influences.
Result<std::vector<KernelRow>> bench_kernels(std::span<const std::uint32_t> vertices, std::size_t rounds);

}  // namespace pelt::samples
