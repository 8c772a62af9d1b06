// SPDX-License-Identifier: MIT
#include <cstddef>

#include "engine/character/evaluate/lane_kernels.h"
#include "shaders/curve_skeleton/pose.h"

// Compiled once per instruction set; the best one that the processor supports is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/character/evaluate/curve_skeleton_lanes.cpp"
#include <hwy/foreach_target.h>

#include "engine/character/evaluate/real_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::shared::HWY_NAMESPACE {

#include "shaders/curve_skeleton/section.inl"
#include "shaders/curve_skeleton/section_bulge.inl"
#include "shaders/curve_skeleton/section_frame.inl"

void pose_samples(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  static_assert(kCurveEntries % kRealLanes == 0);
  const PoseWork work = pose_work(pass, context);
  for (std::size_t i = begin; i < end; ++i) {
    const auto record = read_record<CurveRecord>(pass.records, i);
    for (uint k = 0; k < kCurveEntries; k += kRealLanes) {
      const auto* sample = reinterpret_cast<const float*>(work.table + record.first_sample + k * kCurveSampleWords);
      const Real4 first = load_quads(sample, kCurveSampleWords);  // lambda, twist share and bulge reaches
      const Real4 last = load_quads(sample + 3, kCurveSampleWords);
      const RealAffine frame = step_curve_frame(work, record.curve, record.bone, first.x,
                                                CurveShape{first.y, first.z, last.x, last.y, last.z, last.w});
      affine_compose(frame, RealAffine::load(sample + kCurveSampleInverse, kCurveSampleWords))
          .store(&context.palette[pass.first_entry + i * kCurveEntries + k]);
    }
  }
}

}  // namespace pelt::shared::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::shared {
HWY_EXPORT(pose_samples);

void pose_curve_samples_by_lanes(const PalettePass& pass, std::size_t begin, std::size_t end,
                                 const PoseContext& context) {
  HWY_DYNAMIC_DISPATCH(pose_samples)(pass, begin, end, context);
}

}  // namespace pelt::shared
#endif
