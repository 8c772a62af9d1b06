// SPDX-License-Identifier: MIT
// The pose kernel of curves (shaders/curve_skeleton/pose.h): what its records must hold, and posing on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/character/pose_kernels.h"

namespace pelt::curve_skeleton {

inline bool is_curve_kernel(PoseKernel kernel) {
  return kernel == PoseKernel::kCurveSkeleton || kernel == PoseKernel::kSplineCurve;
}

// Errors: words past the table, a joint or an input that is not there, a number that is not finite, rest lengths that
// do not ascend, frames of the other kernel, too long a chain.
Result<void> validate_records(const PalettePass& pass, const CharacterData& data);

// Appends the word of the chain that record i turns by.
void append_chains(const PalettePass& pass, std::size_t i, std::vector<std::uint32_t>& chains);

// Records of one bone after each other share its part of the curve.
void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context);

}  // namespace pelt::curve_skeleton
