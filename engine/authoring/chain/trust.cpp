// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/trust.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pelt::chain {
namespace {

constexpr float kOfNextBone = 0.75f;

// Returns a smooth step from 0 at `from` to 1 at `to`, which may be in either order.
float rise(float from, float to, float s) { return from == to ? 1.0f : glm::smoothstep(from, to, s); }

// Returns how far after a joint, along the curve, its step has risen to `share`; negative before the joint.
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
  std::vector<std::vector<std::vector<Stretch>>> stretches(joints.size(),
                                                           std::vector<std::vector<Stretch>>(curves.size()));
  std::vector<bool> on_any(joints.size(), false);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const Curve& curve = curves[c];
    const std::size_t last = curve.anchors.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
      // The bones that the anchor's joint carries, away from the top.
      const std::size_t first_anchor = i <= curve.chain.top && i > 0 ? i - 1 : i;
      const std::size_t last_anchor = i >= curve.chain.top && i < last ? i + 1 : i;
      Stretch stretch;
      stretch.first = curve.lengths[first_anchor];
      stretch.last = curve.lengths[last_anchor];
      stretch.before = stretch.first - (first_anchor > 0 ? kOfNextBone * curve.bone_length(first_anchor - 1) : 0.0f);
      stretch.after = stretch.last + (last_anchor < last ? kOfNextBone * curve.bone_length(last_anchor) : 0.0f);
      stretches[curve.chain.anchors[i].joint][c].push_back(stretch);
      on_any[curve.chain.anchors[i].joint] = true;
    }
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto parent = model.skeleton.parent_of(j);
    if (!on_any[j] && parent) stretches[j] = stretches[*parent];
  }
  for (const BoundJoint& bound : model.bound_joints) {
    curve_counts_.push_back(static_cast<std::uint32_t>(
        std::ranges::count_if(stretches[bound.joint], [](const auto& of_curve) { return !of_curve.empty(); })));
  }
  for (std::size_t c = 0; c < curves.size(); ++c) {
    for (const BoundJoint& bound : model.bound_joints) stretches_[c].push_back(stretches[bound.joint][c]);
    // Joints above the top move the whole curve: they count as the top.
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
      const auto parent = model.skeleton.parent_of(j);
      if (!is_on[j] && parent) anchor_of[j] = anchor_of[*parent];
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
  // Rounded weights do not sum to exactly 1: if all of a vertex is on two curves, both have the same trust.
  return sum > 0.9999f ? 1.0f : sum;
}

std::vector<Trust::Bend> Trust::bends(std::size_t c) const {
  const Curve& curve = curves_[c];
  std::vector<Bend> result;
  for (std::size_t i = 1; i + 1 < curve.lengths.size(); ++i) {
    if (i == curve.chain.top) continue;
    const glm::vec2 turning = painting_.turning ? painting_.turning(c, i) : step_reach(curve, i).turning;
    if (turning == glm::vec2(0.0f)) continue;
    const float shorter = std::min(curve.bone_length(i - 1), curve.bone_length(i));
    // At a branch, the skin of a limb also belongs to the trunk.
    const bool is_root = curve.chain.anchors[i - 1].is_branch || curve.chain.anchors[i + 1].is_branch;
    const float off = (is_root ? 0.5f : 1.0f) * painting_.most_off *
                      std::min(shorter / (painting_.slender * std::max(curve.anchors[i].skin_distance, 1e-20f)), 1.0f);
    result.push_back({i, curve.lengths[i], turning, off});
  }
  return result;
}

std::optional<float> Trust::share_beyond(std::size_t c, std::size_t anchor, std::span<const Influence> row) const {
  float beyond = 0;
  float total = 0;
  for (const Influence& influence : row) {
    const std::size_t joint_anchor = anchors_[c][influence.index];
    total += influence.weight;
    if (joint_anchor > anchor || (joint_anchor == anchor && anchor > curves_[c].chain.top)) beyond += influence.weight;
  }
  if (!(total > 0)) return std::nullopt;
  return beyond / total;
}

float Trust::as_painted(std::size_t c, std::span<const Bend> bends, std::span<const Influence> row, float s) const {
  std::size_t least = curves_[c].lengths.size();
  std::size_t most = 0;
  for (const Influence& influence : row) {
    if (!(influence.weight > 0)) continue;
    least = std::min<std::size_t>(least, anchors_[c][influence.index]);
    most = std::max<std::size_t>(most, anchors_[c][influence.index]);
  }
  struct Painted {
    const Bend& bend;
    float share;
  };
  std::vector<Painted> painted;
  float low = 0;
  float high = curves_[c].lengths.back();
  std::vector<float> bounds{s};
  const auto add_bound = [&, last = high](const Bend& bend, float share) {
    bounds.push_back(std::clamp(bend.length + step_at(bend.turning, share), 0.0f, last));
    return bounds.back();
  };
  for (const Bend& bend : bends) {
    if (bend.anchor + 1 < least || bend.anchor > most + 1) continue;
    const float share = *share_beyond(c, bend.anchor, row);  // some weight is between `least` and `most`
    if (share > bend.off) low = std::max(low, add_bound(bend, share - bend.off));
    if (share < 1 - bend.off) high = std::min(high, add_bound(bend, share + bend.off));
    painted.push_back({bend, share});
  }
  if (low <= high) return std::clamp(s, low, high);
  const auto missed = [&](float place) {
    float sum = 0;
    for (const auto& [bend, share] : painted) {
      const float way = place - bend.length;
      const float away = std::abs(shared::step_share(bend.turning, way, way < 0) - share) - bend.off;
      if (away > 0) sum += away * away;
    }
    return sum;
  };
  return *std::ranges::min_element(bounds, {}, missed);
}

std::pair<float, float> Trust::share_bounds(std::size_t curve, std::span<const Influence> row) const {
  float alone = 0;
  float any = 0;
  float total = 0;
  for (const Influence& influence : row) {
    if (curve_counts_[influence.index] > 0) total += influence.weight;
    if (stretches_[curve][influence.index].empty()) continue;
    any += influence.weight;
    if (curve_counts_[influence.index] == 1) alone += influence.weight;
  }
  if (!(total > 0)) return {0.0f, 1.0f};
  return {std::max(alone / total - painting_.share_off, 0.0f), std::min(any / total + painting_.share_off, 1.0f)};
}

bool Trust::any(std::size_t curve, std::span<const Influence> row) const {
  return std::any_of(row.begin(), row.end(), [&](const Influence& influence) {
    return influence.weight > 0 && !stretches_[curve][influence.index].empty();
  });
}

}  // namespace pelt::chain
