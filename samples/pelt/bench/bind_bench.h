// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <pelt/result.h>

#include "samples/pelt/table.h"

namespace pelt::samples {

// Times binding the built-in limb with default surface FFD, on all threads: to a coarse limb of 2,000 triangles around
// it, and to a driver of similar size simplified from the skin. `vertices` are rounded to whole squares.
Result<Json> bench_bind(std::span<const std::uint32_t> vertices, std::size_t rounds);

}  // namespace pelt::samples
