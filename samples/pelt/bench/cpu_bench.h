// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <pelt/result.h>

#include "samples/pelt/table.h"

namespace pelt::samples {

// Times every method at each number of vertices, on one pinned thread and on all: positions, normals and tangents.
Result<Json> bench_cpu(std::span<const std::uint32_t> vertices, std::size_t rounds);

// Times the engine's kernel and the baselines (baseline.h) on four influences.
Result<Json> bench_kernels(std::span<const std::uint32_t> vertices, std::size_t rounds);

}  // namespace pelt::samples
