// SPDX-License-Identifier: MIT
#include "engine/character/evaluate/lane_kernels.h"

namespace pelt {

PoseRecords& pose_on_cpu(PoseKernel kernel, bool same_everywhere) {
  if (!same_everywhere && kernel == PoseKernel::kCurveSkeleton) return shared::pose_curve_samples_by_lanes;
  if (!same_everywhere && kernel == PoseKernel::kMosTable) return shared::pose_mos_samples_by_lanes;
  return *pose_kernel(kernel).pose;
}

}  // namespace pelt
