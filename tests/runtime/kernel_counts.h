// SPDX-License-Identifier: MIT
// Counts of a compute shader by Mesa's compiler for AMD cards (RADV, ACO), which needs no card.
#pragma once

#include <cstdint>
#include <string>

#include <pelt/runtime/crowd_frame.h>
#include <pelt/runtime/device.h>

namespace pelt::test {

struct KernelCounts {
  std::uint64_t registers = 0;  // vector registers
  std::uint64_t spills = 0;     // registers in memory or in other registers
  std::uint64_t scratch = 0;    // bytes per wave
  std::uint64_t waves = 0;      // per SIMD
  std::uint64_t instructions = 0;
  // Issue slots of a wave on the common path: one per vector instruction, four if transcendental. Loops count once.
  std::uint64_t slots = 0;
  std::uint64_t latency = 0;  // cycles, the compiler's estimate
};

// Returns RADV's null device for a family of cards ("NAVI21"), which only compiles. Errors: Mesa lacks RADV, or it has
// no null device.
Result<runtime::Device> null_device(const std::string& family);

// Makes the pipeline of a kernel as a crowd does.
KernelCounts counts_of(const runtime::Device& null_device, const runtime::Kernel& kernel);

// The slots of a program in the driver's assembly. `has_cold_path`: omits the largest block of 100 or more instructions
// within another one that a wave jumps over if none of its lanes is in it. In a blend, that is the path of vertices
// whose frame collapses.
std::uint64_t slots_of(const std::string& assembly, bool has_cold_path);

}  // namespace pelt::test
