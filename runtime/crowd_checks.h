// SPDX-License-Identifier: MIT
// What is checked of a crowd before anything of it is made, and how its palettes lie.
#pragma once

#include <cstdint>
#include <string>

#include <pelt/runtime/crowd.h>

#include "runtime/crowd_outputs.h"
#include "runtime/gpu_characters.h"

namespace pelt::runtime {

// The palettes, and behind them the vertices of drivers, as they lie in one buffer.
struct PaletteRanges {
  BufferRange palettes;
  BufferRange drivers;
  VkDeviceSize end = 0;
};

PaletteRanges palette_ranges(const CrowdCapacity& capacity, VkDeviceSize alignment);

// Returns the size of a list of the caller's, in bytes.
VkDeviceSize list_bytes(const CrowdCapacity& capacity);

// Checks what can be checked before the sizes of the outputs are known.
Result<void> check_options(const GpuCharacters::State& gpu, const CrowdCapacity& capacity, const CrowdOptions& options,
                           const Device& device, const std::string& label);

// Checks the streams: every total then fits in 32 bits.
Result<void> check_capacity(const CrowdCapacity& capacity, const OutputLayout& layout, const Device& device,
                            const std::string& label);

}  // namespace pelt::runtime
