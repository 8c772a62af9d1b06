// SPDX-License-Identifier: MIT
#include <cstddef>

#include "engine/character/evaluate/lane_kernels.h"
#include "shaders/mos/table_pose.h"

// Compiled once per instruction set; the best one that the processor supports is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/character/evaluate/mos_lanes.cpp"
#include <hwy/foreach_target.h>

#include "engine/character/evaluate/real_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::shared::HWY_NAMESPACE {

#include "shaders/mos/mos.inl"
#include "shaders/mos/table_pose.inl"

void pose_window_samples(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  static_assert(kMosEntries % kRealLanes == 0);
  const PoseWork work = pose_work(pass, context);
  for (std::size_t i = begin; i < end; ++i) {
    const auto record = read_record<MosTableRecord>(pass.records, i);
    const MosWindow window = posed_window(record, work);
    for (uint k = 0; k < kMosEntries; k += kRealLanes) {
      const auto* sample = reinterpret_cast<const float*>(work.table + record.first_sample + k * kMosSampleWords);
      const RealAffine frame = mos_window_frame(window, load_quads(sample, kMosSampleWords).x);
      affine_compose(frame, RealAffine::load(sample + kMosSampleInverse, kMosSampleWords))
          .store(&context.palette[pass.first_entry + i * kMosEntries + k]);
    }
  }
}

}  // namespace pelt::shared::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt::shared {
HWY_EXPORT(pose_window_samples);

void pose_mos_samples_by_lanes(const PalettePass& pass, std::size_t begin, std::size_t end,
                               const PoseContext& context) {
  HWY_DYNAMIC_DISPATCH(pose_window_samples)(pass, begin, end, context);
}

}  // namespace pelt::shared
#endif
