// SPDX-License-Identifier: MIT
#include "engine/character/pose_kernels.h"

#include <array>
#include <cassert>

#include "engine/character/records.h"
#include "engine/dual_quaternion/pose.h"
#include "engine/linear_blend/pose.h"
#include "engine/surface_ffd/pose.h"
#include "shaders/dual_quaternion/pose.h"
#include "shaders/linear_blend/pose.h"
#include "shaders/surface_ffd/pose.h"

namespace pelt {
namespace {

// By PoseKernel's numbers.
// clang-format off
constexpr std::array<PoseKernelInfo, kPoseKernelCount> kPoseKernels{{
    {"linear_blend", kRecordWords<shared::JointRecord>, 1, linear_blend::validate_records, linear_blend::pose_records},
    {"dual_quaternion", kRecordWords<shared::JointRecord>, shared::kDualQuaternionSlots, linear_blend::validate_records, dual_quaternion::pose_records},
    {"surface_ffd", kRecordWords<shared::TriangleRecord>, 1, surface_ffd::validate_records, surface_ffd::pose_records},
}};
// clang-format on

}  // namespace

const PoseKernelInfo& pose_kernel(PoseKernel kernel) {
  assert(static_cast<std::size_t>(kernel) < kPoseKernelCount);
  return kPoseKernels[static_cast<std::size_t>(kernel)];
}

}  // namespace pelt
