// SPDX-License-Identifier: MIT
// Pose kernels as evaluators run them.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt {

// Those that pose several entries at once, by vector instructions.
namespace shared {
PoseRecords pose_curve_samples_by_lanes;
PoseRecords pose_mos_samples_by_lanes;
}  // namespace shared

// Returns what poses the records of a kernel. `same_everywhere`: not by vector instructions, whose last bits depend on
// the processor.
PoseRecords& pose_on_cpu(PoseKernel kernel, bool same_everywhere);

}  // namespace pelt
