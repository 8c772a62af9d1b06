// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/trust.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pelt::curve_skeleton {
namespace {

constexpr float kOfNextBone = 0.75f;

// 0 at `from`, 1 at `to`, smooth; they may be in either order.
float rise(float from, float to, float s) {
  const float part = from == to ? 1.0f : std::clamp((s - from) / (to - from), 0.0f, 1.0f);
  return part * part * (3 - 2 * part);
}

// How far from a joint, along the curve, a step has risen to `share`.
float step_at(glm::vec2 turning, float share) {
  constexpr float kEase = shared::kStepEase;
  const float ramp = 2 * std::min(share, 1 - share) * (1 - 0.5f * kEase);
  const float left = ramp < 0.5f * kEase ? std::sqrt(2 * kEase * ramp) : ramp + 0.5f * kEase;
  return share < 0.5f ? (left - 1) * turning.x : (1 - left) * turning.y;
}

}  // namespace

Trust::Trust(const Model& model, std::span<const Curve> curves, Painting painting)
    : curves_(curves), painting_(std::move(painting)), stretches_(curves.size()), anchors_(curves.size()) {
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
    // What is above the top moves it all: it counts as the top.
    const std::vector<Anchor>& anchors = curves[c].chain.anchors;
    std::vector<std::uint32_t> anchor_of(joints.size(), static_cast<std::uint32_t>(curves[c].chain.top));
    std::vector<bool> is_on(joints.size(), false);
    for (std::uint32_t i = 0; i < anchors.size(); ++i) {
      const std::uint32_t joint = anchors[i].joint;
      const bool is_tip = is_on[joint] && i > curves[c].chain.top;
      if (!is_tip) anchor_of[joint] = i;
      is_on[joint] = true;
    }
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (!is_on[j] && joints[j].parent >= 0) anchor_of[j] = anchor_of[static_cast<std::size_t>(joints[j].parent)];
    }
    for (const BoundJoint& bound : model.bound_joints) anchors_[c].push_back(anchor_of[bound.joint]);
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

float Trust::as_painted(std::size_t c, std::span<const Influence> row, float s) const {
  struct Joint {
    float length, share, off;  // where it is, what is painted beyond it, and by how much that may be missed
    glm::vec2 turning;
  };
  const Curve& curve = curves_[c];
  const std::size_t last = curve.lengths.size() - 1;
  std::size_t least = last;
  std::size_t most = 0;
  float total = 0;
  for (const Influence& influence : row) {
    if (!(influence.weight > 0)) continue;
    least = std::min<std::size_t>(least, anchors_[c][influence.index]);
    most = std::max<std::size_t>(most, anchors_[c][influence.index]);
    total += influence.weight;
  }
  if (!(total > 0)) return s;
  std::vector<Joint> joints;
  float low = 0;
  float high = curve.lengths.back();
  std::vector<float> bounds{s};
  for (std::size_t i = std::max<std::size_t>(least, 2) - 1; i <= std::min(most + 1, last - 1); ++i) {
    if (i == curve.chain.top) continue;
    Joint joint{curve.lengths[i], 0, 0, painting_.turning ? painting_.turning(c, i) : step_reach(curve, i).turning};
    if (joint.turning == glm::vec2(0.0f)) continue;
    for (const Influence& influence : row) {
      const std::size_t anchor = anchors_[c][influence.index];
      if (anchor > i || (anchor == i && i > curve.chain.top)) joint.share += influence.weight / total;
    }
    const float shorter = std::min(curve.bone_length(i - 1), curve.bone_length(i));
    // Where a limb begins at a branch its skin is also the trunk's.
    const bool is_root = curve.chain.anchors[i - 1].is_branch || curve.chain.anchors[i + 1].is_branch;
    joint.off = (is_root ? 0.5f : 1.0f) * painting_.most_off *
                std::min(shorter / (painting_.slender * std::max(curve.anchors[i].skin_distance, 1e-20f)), 1.0f);
    if (joint.share > joint.off) {
      bounds.push_back(joint.length + step_at(joint.turning, joint.share - joint.off));
      low = std::max(low, bounds.back());
    }
    if (joint.share < 1 - joint.off) {
      bounds.push_back(joint.length + step_at(joint.turning, joint.share + joint.off));
      high = std::min(high, bounds.back());
    }
    joints.push_back(joint);
  }
  if (low <= high) return std::clamp(s, low, high);
  const auto missed = [&](float place) {
    float sum = 0;
    for (const Joint& joint : joints) {
      const float away = std::abs(shared::step_share(joint.turning, place - joint.length) - joint.share) - joint.off;
      if (away > 0) sum += away * away;
    }
    return sum;
  };
  return *std::ranges::min_element(bounds, {}, missed);
}

bool Trust::any(std::size_t curve, std::span<const Influence> row) const {
  return std::any_of(row.begin(), row.end(), [&](const Influence& influence) {
    return influence.weight > 0 && !stretches_[curve][influence.index].empty();
  });
}

}  // namespace pelt::curve_skeleton
