// SPDX-License-Identifier: MIT
// The instruction sets that the kernels with vector instructions are compiled for and this machine has.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace pelt {

#ifdef HWY_COMPILE_ONLY_STATIC
inline void choose_target(std::int64_t) {}
inline std::vector<std::int64_t> targets_of_kernels() { return {HWY_STATIC_TARGET}; }
#else
// Lets the kernels run with this instruction set from now on; 0: with the best of the processor.
inline void choose_target(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Returns the instruction sets, the best first. The kernels are not compiled for the targets without vectors: their
// lowest target would run twice.
inline std::vector<std::int64_t> targets_of_kernels() {
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  std::erase_if(targets, [](std::int64_t target) { return target == HWY_SCALAR || target == HWY_EMU128; });
  return targets;
}
#endif

}  // namespace pelt
