// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/joints.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <pelt/sparse_rows.h>

#include "engine/authoring/chain/chains.h"
#include "engine/authoring/model/find_named.h"
#include "engine/character/model/skeleton_walk.h"
#include "engine/character/records.h"
#include "shaders/hierarchical_bspline/segment_pose.h"

namespace pelt::hierarchical_bspline {
namespace {

constexpr std::size_t kMaxInfluences = 8;      // of a painted control vertex
constexpr std::uint32_t kPaintedSegments = 6;  // of a pair of joints that has more fractions than these have ends

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

std::vector<std::vector<Influence>> Joints::painted(std::span<const std::span<const Influence>> rows,
                                                    std::span<const float> straight) {
  struct Part {
    std::size_t row;
    std::uint32_t below;
    std::uint32_t above;
    float share;  // of the turn of `below` against `above`
    float weight;
  };
  std::vector<Part> parts;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<float>> shares;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::map<std::uint32_t, float> joints;
    float sum = 0;
    for (const Influence& influence : rows[r]) {
      if (!(influence.weight > 0)) continue;
      joints[input_.model.bound_joints[influence.index].joint] += influence.weight;
      sum += influence.weight;
    }
    const float turned = 1 - straight[r];
    for (const auto& [joint, weight] : joints) {
      if (straight[r] > 0) parts.push_back({r, joint, joint, 1, straight[r] * weight / sum});
    }
    if (joints.size() == 1) parts.push_back({r, joints.begin()->first, joints.begin()->first, 1, turned});
    for (auto lower = joints.begin(); lower != joints.end(); ++lower) {
      for (auto upper = joints.begin(); upper != lower; ++upper) {
        const auto& [above, above_weight] = *upper;  // parents come before their children
        const auto& [below, below_weight] = *lower;
        const float one = above_weight * below_weight / (sum - above_weight);
        const float other = above_weight * below_weight / (sum - below_weight);
        parts.push_back({r, below, above, other / (one + other), turned * (one + other) / sum});
        shares[{below, above}].insert(parts.back().share);
      }
    }
  }
  std::vector<std::vector<WeightedElement>> influences(rows.size());
  const auto add = [&](const Part& part, float share, float weight) {
    if (!(weight > 0)) return;
    const std::uint32_t at = share > 0 ? record(part.below, part.above, share) : record(part.above, part.above, 1);
    influences[part.row].push_back({at, weight});
  };
  for (const Part& part : parts) {
    if (shares[{part.below, part.above}].size() <= kPaintedSegments + 1) {
      add(part, part.share, part.weight);
      continue;
    }
    const float steps = kPaintedSegments * part.share;
    const float low = std::min(std::floor(steps), kPaintedSegments - 1.0f);
    add(part, low / kPaintedSegments, part.weight * (1 - steps + low));
    add(part, (low + 1) / kPaintedSegments, part.weight * (steps - low));
  }
  std::vector<std::vector<Influence>> result;
  for (const std::vector<WeightedElement>& row : influences) {
    SparseRows merged;
    append_row(merged, row);
    merged = cut_rows(merged, kMaxInfluences, Cut::kHard);
    result.emplace_back(merged.row(0).begin(), merged.row(0).end());
  }
  return result;
}

std::uint32_t Joints::finish() { return records_.empty() ? 0 : input_.builder.add_pass(std::move(pass_)); }

}  // namespace pelt::hierarchical_bspline
