// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cassert>

#include "engine/character/pose_kernels.h"
#include "engine/curve_skeleton/pose.h"
#include "engine/driver/action_line/pose.h"
#include "engine/driver/key_pose/pose.h"
#include "engine/driver/patch_frame/pose.h"
#include "engine/driver/stream/pose.h"
#include "engine/driver/vertex_frame/pose.h"
#include "engine/dual_quaternion/pose.h"
#include "engine/linear_blend/pose.h"
#include "engine/mos/pose.h"
#include "engine/surface_ffd/pose.h"
#include "shaders/curve_skeleton/pose.h"
#include "shaders/driver/action_line/pose.h"
#include "shaders/driver/key_pose/pose.h"
#include "shaders/driver/patch_frame/pose.h"
#include "shaders/driver/stream/pose.h"
#include "shaders/driver/vertex_frame/pose.h"
#include "shaders/dual_quaternion/pose.h"
#include "shaders/linear_blend/pose.h"
#include "shaders/mos/point_pose.h"
#include "shaders/mos/table_pose.h"
#include "shaders/surface_ffd/pose.h"

namespace pelt {
namespace {

template <class Record, Affine (*pose_record)(Record, shared::PoseWork)>
constexpr PoseKernelInfo one_entry(const char* name, decltype(PoseKernelInfo::validate) validate,
                                   decltype(PoseKernelInfo::append_chains) append_chains = nullptr) {
  return {name, kRecordWords<Record>, 1, validate, pose_records<Record, pose_record>, append_chains};
}

// By PoseKernel's numbers.
// clang-format off
constexpr std::array<PoseKernelInfo, kPoseKernelCount> kPoseKernels{{
    one_entry<shared::JointRecord, shared::pose_joint>("linear_blend", linear_blend::validate_records),
    {"dual_quaternion", kRecordWords<shared::JointRecord>, shared::kDualQuaternionSlots, linear_blend::validate_records, dual_quaternion::pose_records},
    one_entry<shared::TriangleRecord, shared::pose_triangle>("surface_ffd", surface_ffd::validate_records),
    one_entry<shared::VertexFrameRecord, shared::pose_vertex_frame>("vertex_frame", vertex_frame::validate_records),
    one_entry<shared::PatchRecord, shared::pose_patch_sample>("patch_frame", patch_frame::validate_records),
    one_entry<shared::StreamRecord, shared::pose_stream>("stream", stream::validate_records),
    one_entry<shared::KeyPoseRecord, shared::pose_key_offset>("key_pose", key_pose::validate_records),
    {"curve_skeleton", kRecordWords<shared::CurveRecord>, shared::kCurveSlots, curve_skeleton::validate_records, curve_skeleton::pose_records, curve_skeleton::append_chains},
    {"action_line", kRecordWords<shared::ActionLineRecord>, shared::kLineSlots, action_line::validate_records, action_line::pose_records},
    one_entry<shared::MosPointRecord, shared::pose_mos_entry>("mos_point", mos::validate_point_records, mos::append_point_chains),
    {"mos_table", kRecordWords<shared::MosTableRecord>, shared::kMosSlots, mos::validate_table_records, mos::pose_table_records, mos::append_table_chains},
    {"spline_curve", kRecordWords<shared::CurveRecord>, shared::kCurveSlots, curve_skeleton::validate_records, curve_skeleton::pose_records, curve_skeleton::append_chains},
}};
// clang-format on

}  // namespace

const PoseKernelInfo& pose_kernel(PoseKernel kernel) {
  assert(static_cast<std::size_t>(kernel) < kPoseKernelCount);
  return kPoseKernels[static_cast<std::size_t>(kernel)];
}

bool is_posed_before(const PalettePass& pass, const CharacterData& data, std::uint32_t vertex) {
  if (vertex >= data.vertex_count()) return false;
  const auto after =
      std::upper_bound(data.meshes.begin(), data.meshes.end(), vertex,
                       [](std::uint32_t value, const CharacterMesh& mesh) { return value < mesh.first_vertex; });
  return (after - 1)->stage < pass.stage;
}

}  // namespace pelt
