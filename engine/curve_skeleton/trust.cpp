// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/trust.h"

#include <algorithm>

namespace pelt::curve_skeleton {
namespace {

constexpr float kOfNextBone = 0.75f;

// 0 at `from`, 1 at `to`, smooth; they may be in either order.
float rise(float from, float to, float s) {
  const float part = from == to ? 1.0f : std::clamp((s - from) / (to - from), 0.0f, 1.0f);
  return part * part * (3 - 2 * part);
}

}  // namespace

Trust::Trust(const Model& model, std::span<const Curve> curves) : stretches_(curves.size()) {
  const std::vector<Joint>& joints = model.skeleton.joints;
  // The stretches of every joint, by curve.
  std::vector<std::vector<std::vector<Stretch>>> own(joints.size(), std::vector<std::vector<Stretch>>(curves.size()));
  std::vector<bool> on_any(joints.size(), false);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const Curve& curve = curves[c];
    const std::size_t last = curve.anchors.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
      // The bones that the anchor's joint carries: away from the top.
      const std::size_t first_anchor = i <= curve.chain.top && i > 0 ? i - 1 : i;
      const std::size_t last_anchor = i >= curve.chain.top && i < last ? i + 1 : i;
      Stretch stretch;
      stretch.first = curve.lengths[first_anchor];
      stretch.last = curve.lengths[last_anchor];
      stretch.before = stretch.first - (first_anchor > 0 ? kOfNextBone * curve.bone_length(first_anchor - 1) : 0.0f);
      stretch.after = stretch.last + (last_anchor < last ? kOfNextBone * curve.bone_length(last_anchor) : 0.0f);
      own[curve.chain.anchors[i].joint][c].push_back(stretch);
      on_any[curve.chain.anchors[i].joint] = true;
    }
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!on_any[j] && joints[j].parent >= 0) own[j] = own[static_cast<std::size_t>(joints[j].parent)];
  }
  for (std::size_t c = 0; c < curves.size(); ++c) {
    for (const BoundJoint& bound : model.bound_joints) stretches_[c].push_back(own[bound.joint][c]);
  }
}

float Trust::at(std::size_t curve, float s, std::span<const Influence> row) const {
  float sum = 0;
  for (const Influence& influence : row) {
    float most = 0;
    for (const Stretch& stretch : stretches_[curve][influence.index]) {
      most = std::max(most, rise(stretch.before, stretch.first, s) * rise(stretch.after, stretch.last, s));
    }
    sum += most * influence.weight;
  }
  // Sums of rounded weights are not quite 1: where all of a vertex is on two curves, both are trusted alike.
  return sum > 0.9999f ? 1.0f : sum;
}

bool Trust::any(std::size_t curve, std::span<const Influence> row) const {
  return std::any_of(row.begin(), row.end(), [&](const Influence& influence) {
    return influence.weight > 0 && !stretches_[curve][influence.index].empty();
  });
}

}  // namespace pelt::curve_skeleton
