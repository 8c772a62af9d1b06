// SPDX-License-Identifier: MIT
// The pose kernels that evaluators run.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt {

// Kernels that pose several entries at once, with vector instructions.
namespace shared {
PoseRecords pose_curve_samples_by_lanes;
PoseRecords pose_mos_samples_by_lanes;
}  // namespace shared

// Returns the function that poses records of a kernel. `same_everywhere`: without vector instructions, whose last bits
// depend on the processor.
PoseRecords& pose_on_cpu(PoseKernel kernel, bool same_everywhere);

}  // namespace pelt
