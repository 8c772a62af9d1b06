// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <pelt/result.h>

#include "samples/pelt/table.h"

namespace pelt::samples {

// Times binding of the built-in limb by surface FFD with its defaults, on all threads: to a coarse limb of 2,000
// triangles round it, and to a driver of about as many that is made from the skin. `vertices` are rounded to whole
// squares.
Result<Json> bench_bind(std::span<const std::uint32_t> vertices, std::size_t rounds);

}  // namespace pelt::samples
