// SPDX-License-Identifier: MIT
#include "engine/hierarchical_bspline/joints.h"

#include "engine/chain/chains.h"
#include "engine/character/records.h"
#include "engine/model/find_named.h"
#include "engine/model/skeleton_walk.h"
#include "shaders/hierarchical_bspline/segment_pose.h"

namespace pelt::hierarchical_bspline {

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
  const auto [known, added] = records_.emplace(std::pair(joint, share), pass_.record_count);
  if (added) {
    append_record(pass_.records, shared::SegmentRecord{joint, parent(joint), share, origin(joint), inverse_bind(joint),
                                                       inverse_bind(parent(joint))});
    ++pass_.record_count;
  }
  return known->second;
}

std::uint32_t Joints::finish() { return records_.empty() ? 0 : input_.builder.add_pass(std::move(pass_)); }

}  // namespace pelt::hierarchical_bspline
