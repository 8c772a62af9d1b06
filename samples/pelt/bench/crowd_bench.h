// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/pelt/table.h"

namespace pelt::samples {

// Times crowds of 1, 10, 100, ... up to `most` instances of the built-in biped: with surface FFD, with linear blend,
// and with four deformers in equal parts, the size rounded up to a multiple of four. If the device cannot bind a crowd,
// its row has a "refusal". Errors: the device has no timestamps.
Result<Json> bench_crowds(const runtime::Device& device, std::uint32_t most, std::size_t rounds);

}  // namespace pelt::samples
