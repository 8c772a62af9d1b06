// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/trust.h"

#include <algorithm>
#include <cmath>

#include "engine/authoring/chain/joint_clusters.h"
#include "engine/authoring/chain/passages.h"

namespace pelt::chain {
namespace {

constexpr float kOfNextBone = 0.75f;
constexpr float kFleshOff = 0.43f;  // part of Painting::most_off if sections are not round

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
    : curves_(curves),
      painting_(std::move(painting)),
      uses_(joint_uses(model.skeleton)),
      places_(model.skeleton.joints.size()),
      next_(places_.size(), kNone) {
  for (std::uint32_t c = 0; c < curves.size(); ++c) {
    const Curve& curve = curves[c];
    const std::size_t last = curve.anchors.size() - 1;
    for (std::uint32_t i = 0; i <= last; ++i) {
      // The bones that the anchor's joint carries, away from the top.
      const std::size_t first_anchor = i <= curve.chain.top && i > 0 ? i - 1 : i;
      const std::size_t last_anchor = i >= curve.chain.top && i < last ? i + 1 : i;
      std::vector<Place>& of_joint = places_[curve.chain.anchors[i].joint];
      const bool is_tip = !of_joint.empty() && of_joint.back().curve == c && i > curve.chain.top;
      Place place{.curve = c, .anchor = is_tip ? of_joint.back().anchor : i};
      place.first = curve.lengths[first_anchor];
      place.last = curve.lengths[last_anchor];
      place.before = place.first - (first_anchor > 0 ? kOfNextBone * curve.bone_length(first_anchor - 1) : 0.0f);
      place.after = place.last + (last_anchor < last ? kOfNextBone * curve.bone_length(last_anchor) : 0.0f);
      of_joint.push_back(place);
    }
  }
  const auto nearest = [&](std::uint32_t j) { return places_[j].empty() ? next_[j] : j; };
  for (std::uint32_t j = 0; j < next_.size(); ++j) {
    if (const auto parent = model.skeleton.parent_of(j)) next_[j] = nearest(*parent);
  }
  for (const BoundJoint& bound : model.bound_joints) {
    counts_as_.push_back(nearest(bound.joint));
    std::uint32_t count = 0;
    std::uint32_t last = kNone;
    for (const Place& place : counts_as_.back() == kNone ? std::span<const Place>() : places_[counts_as_.back()]) {
      count += place.curve != last ? 1 : 0;
      last = place.curve;
    }
    curve_counts_.push_back(count);
  }
}

// Returns the places of a joint on a curve; none if it is kNone.
std::span<const Trust::Place> Trust::places(std::size_t curve, std::uint32_t joint) const {
  if (joint == kNone) return {};
  const auto found = std::ranges::equal_range(places_[joint], static_cast<std::uint32_t>(curve), {}, &Place::curve);
  return {found.begin(), found.end()};
}

std::span<const Trust::Place> Trust::places_of(std::size_t curve, const Influence& influence) const {
  return places(curve, counts_as_[influence.index]);
}

// Returns the anchor as which the joint of an influence counts. Joints above the top move the whole curve: they count
// as the top.
std::uint32_t Trust::anchor_of(std::size_t curve, const Influence& influence) const {
  for (std::uint32_t j = counts_as_[influence.index]; j != kNone; j = next_[j]) {
    const std::span<const Place> of_joint = places(curve, j);
    if (!of_joint.empty()) return of_joint.back().anchor;
  }
  return static_cast<std::uint32_t>(curves_[curve].chain.top);
}

float Trust::at(std::size_t curve, float s, std::span<const Influence> row) const {
  float sum = 0;
  for (const Influence& influence : row) {
    float most = 0;
    for (const Place& place : places_of(curve, influence)) {
      most = std::max(most, rise(place.before, place.first, s) * rise(place.after, place.last, s));
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
    const glm::vec2 bones = bones_at(curve, i, uses_);
    if (bones == glm::vec2(0.0f)) continue;  // a twist helper, which does not bend
    const float shorter = std::min(bones.x, bones.y);
    // At a branch, the skin of a limb also belongs to the trunk.
    const bool is_root = curve.chain.anchors[i - 1].is_branch || curve.chain.anchors[i + 1].is_branch;
    const float off = (is_root ? 0.5f : 1.0f) * painting_.most_off *
                      std::min(shorter / (painting_.slender * std::max(curve.anchors[i].skin_distance, 1e-20f)), 1.0f);
    result.push_back({i, curve.lengths[i], turning, off * std::lerp(kFleshOff, 1.0f, curve.anchors[i].tube)});
  }
  return result;
}

std::optional<float> Trust::share_beyond(std::size_t c, std::size_t anchor, std::span<const Influence> row) const {
  float beyond = 0;
  float total = 0;
  for (const Influence& influence : row) {
    const std::size_t joint_anchor = anchor_of(c, influence);
    total += influence.weight;
    if (joint_anchor > anchor || (joint_anchor == anchor && anchor > curves_[c].chain.top)) beyond += influence.weight;
  }
  if (!(total > 0)) return std::nullopt;
  return beyond / total;
}

std::pair<std::size_t, std::size_t> Trust::anchors_of(std::size_t c, std::span<const Influence> row) const {
  std::size_t least = curves_[c].lengths.size();
  std::size_t most = 0;
  for (const Influence& influence : row) {
    if (!(influence.weight > 0)) continue;
    const std::size_t anchor = anchor_of(c, influence);
    least = std::min(least, anchor);
    most = std::max(most, anchor);
  }
  return {least, most};
}

float Trust::as_painted(std::size_t c, std::span<const Bend> bends, std::span<const Influence> row, float s) const {
  const auto [least, most] = anchors_of(c, row);
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
    if (places_of(curve, influence).empty()) continue;
    any += influence.weight;
    if (curve_counts_[influence.index] == 1) alone += influence.weight;
  }
  if (!(total > 0)) return {0.0f, 1.0f};
  return {std::max(alone / total - painting_.share_off, 0.0f), std::min(any / total + painting_.share_off, 1.0f)};
}

std::vector<std::uint32_t> Trust::curves_of(std::span<const Influence> row) const {
  std::vector<std::uint32_t> curves;
  for (const Influence& influence : row) {
    if (!(influence.weight > 0) || counts_as_[influence.index] == kNone) continue;
    for (const Place& place : places_[counts_as_[influence.index]]) curves.push_back(place.curve);
  }
  std::ranges::sort(curves);
  curves.erase(std::ranges::unique(curves).begin(), curves.end());
  return curves;
}

}  // namespace pelt::chain
