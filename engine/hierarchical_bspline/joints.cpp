// SPDX-License-Identifier: MIT
#include "engine/hierarchical_bspline/joints.h"

#include <algorithm>
#include <cmath>

#include <pelt/sparse_rows.h>

#include "engine/chain/chains.h"
#include "engine/character/records.h"
#include "engine/model/find_named.h"
#include "engine/model/skeleton_walk.h"
#include "shaders/hierarchical_bspline/segment_pose.h"

namespace pelt::hierarchical_bspline {
namespace {

constexpr std::size_t kMaxInfluences = 8;  // of a painted control vertex

}  // namespace

Joints::Joints(const DeformerInput& input) : input_(input) {
  std::vector<std::uint32_t> meshes;
  for (const DeformerTarget& target : full_detail(input)) meshes.push_back(target.mesh);
  at_bind_ = chain::matrices_at_bind(input.model, meshes);
  pass_.kernel = PoseKernel::kSegment;
}

Result<std::uint32_t> Joints::find(const std::string& name, const std::string& what) const {
  return find_joint(input_.model.skeleton, name, what);
}

std::uint32_t Joints::parent(std::uint32_t joint) const {
  return input_.model.skeleton.parent_of(joint).value_or(joint);
}

glm::vec3 Joints::bone(std::uint32_t joint) const {
  return bone_of(input_.model.skeleton, joint, [&](std::uint32_t j) { return origin(j); });
}

std::uint32_t Joints::segment(std::uint32_t joint, const SurfaceAttachment& attachment) {
  const bool whole = attachment.segments == 1 || parent(joint) == joint;
  const float share =
      whole ? 1.0f : (static_cast<float>(attachment.segment) - 0.5f) / static_cast<float>(attachment.segments);
  return record(joint, parent(joint), share);
}

glm::vec3 Joints::pivot(std::uint32_t joint, std::uint32_t against) const {
  const bool hangs = against == joint || hangs_below(input_.model.skeleton, joint, against);
  return hangs ? origin(joint) : 0.5f * (origin(joint) + origin(against));
}

std::uint32_t Joints::record(std::uint32_t joint, std::uint32_t against, float share) {
  if (share >= 1) against = joint;
  const auto [known, added] = records_.emplace(std::tuple(joint, against, share), pass_.record_count);
  if (added) {
    append_record(pass_.records, shared::SegmentRecord{joint, against, share, pivot(joint, against),
                                                       inverse_bind(joint), inverse_bind(against)});
    ++pass_.record_count;
  }
  return known->second;
}

std::vector<Influence> Joints::painted(std::span<const Influence> weights) {
  constexpr float kPaintedSegments = 6;
  std::map<std::uint32_t, float> joints;
  float sum = 0;
  for (const Influence& influence : weights) {
    if (!(influence.weight > 0)) continue;
    joints[input_.model.bound_joints[influence.index].joint] += influence.weight;
    sum += influence.weight;
  }
  std::vector<WeightedElement> row;
  const auto add = [&](std::uint32_t joint, std::uint32_t against, float share, float weight) {
    if (weight > 0) row.push_back({share > 0 ? record(joint, against, share) : record(against, against, 1), weight});
  };
  if (joints.size() == 1) add(joints.begin()->first, joints.begin()->first, 1, 1);
  for (auto lower = joints.begin(); lower != joints.end(); ++lower) {
    for (auto upper = joints.begin(); upper != lower; ++upper) {
      const auto& [above, above_weight] = *upper;  // parents come before their children
      const auto& [below, below_weight] = *lower;
      const float one = above_weight * below_weight / (sum - above_weight);
      const float other = above_weight * below_weight / (sum - below_weight);
      const float steps = kPaintedSegments * other / (one + other);
      const float low = std::min(std::floor(steps), kPaintedSegments - 1);
      const float weight = (one + other) / sum;
      add(below, above, low / kPaintedSegments, weight * (1 - steps + low));
      add(below, above, (low + 1) / kPaintedSegments, weight * (steps - low));
    }
  }
  SparseRows merged;
  append_row(merged, row);
  merged = cut_rows(merged, kMaxInfluences, Cut::kHard);
  return {merged.row(0).begin(), merged.row(0).end()};
}

std::uint32_t Joints::finish() { return records_.empty() ? 0 : input_.builder.add_pass(std::move(pass_)); }

}  // namespace pelt::hierarchical_bspline
