// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/joints.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <set>
#include <utility>

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
constexpr std::uint32_t kTwistSteps = 8;       // of a twist kept apart, likewise
constexpr double kMixed = 0.03;                // weights above this are a transition
constexpr double kShortest = 0.1;              // of the bone: shorter ways do not spread a twist

}  // namespace

Joints::Joints(const DeformerInput& input, Twist twist) : input_(input), twists_(input.model, twist) {
  bound_of_.resize(input.model.skeleton.joints.size());
  for (std::uint32_t b = 0; b < input.model.bound_joints.size(); ++b) bound_of_[input.model.bound_joints[b].joint] = b;
  for (const TwistSpread::Bone& bone : twists_.bones()) {
    const bool is_own = !bone.child;
    twist_bones_.push_back({bone, is_own, is_own ? *bone.own : *bone.child, 0, is_own ? 1 : 1 + bone.passage});
  }
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
  const float share = attachment.segments == 1 || parent(joint) == joint ? 1.0f : attachment.share();
  return record({joint, parent(joint), share, share, false});
}

glm::vec3 Joints::pivot(std::uint32_t joint, std::uint32_t against) const {
  const bool hangs = against == joint || hangs_below(input_.model.skeleton, joint, against);
  return hangs ? origin(joint) : 0.5f * (origin(joint) + origin(against));
}

bool Joints::has(const std::vector<std::uint8_t>& marked, std::uint32_t joint) const {
  return bound_of_[joint] && marked[*bound_of_[joint]] != 0;
}

const Joints::TwistBone* Joints::bone_moving(std::uint32_t joint) const {
  const auto moves = [&](const TwistBone& twist) {
    return has(twist.bone.moved, joint) && twist.last - twist.first > kShortest;
  };
  const auto found = std::ranges::find_if(twist_bones_, moves);
  return found == twist_bones_.end() ? nullptr : &*found;
}

const Joints::TwistBone* Joints::bone_between(std::uint32_t below, std::uint32_t above) const {
  const TwistBone* upper = bone_moving(above);
  if (upper != nullptr && !upper->is_own && upper->words[0] == below) return upper;
  const TwistBone* lower = bone_moving(below);
  return lower != nullptr && lower->is_own && lower->words[1] == above ? lower : nullptr;
}

void Joints::measure(std::span<const std::span<const Influence>> rows, std::span<const glm::vec3> points) {
  for (TwistBone& twist : twist_bones_) {
    const TwistSpread::Bone& bone = twist.bone;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      double all = 0;
      for (const Influence& influence : rows[r]) all += influence.weight;
      const auto mixes = [&](double weight) { return weight > kMixed * all; };
      if (!mixes(TwistSpread::sum_on(bone.moved, rows[r]))) continue;
      const double at = TwistSpread::along(bone, points[r]);
      if (twist.is_own && mixes(TwistSpread::sum_on(bone.after_end, rows[r]))) twist.last = std::min(twist.last, at);
      if (!twist.is_own && mixes(all - TwistSpread::sum_on(bone.below, rows[r])))
        twist.first = std::max(twist.first, at);
    }
  }
}

Joints::Turn Joints::turn_of(std::uint32_t joint, const glm::vec3& point) const {
  const TwistBone* twist = bone_moving(joint);
  if (twist == nullptr) return {joint, joint, 1, 1, false};
  const double at = (TwistSpread::along(twist->bone, point) - twist->first) / (twist->last - twist->first);
  const auto part = static_cast<float>(std::clamp(at, 0.0, 1.0)), room = static_cast<float>(twist->bone.room);
  if (twist->is_own) return {joint, twist->words[1], 1, 1 - room * (1 - part), true};
  return {twist->words[0], joint, 0, room * part, true};
}

Joints::Turn Joints::turn_between(std::uint32_t below, std::uint32_t above, float share, const glm::vec3& point) const {
  const TwistBone* twist = bone_between(below, above);
  if (twist == nullptr) return {below, above, share, share, false};
  const float alone = turn_of(twist->is_own ? below : above, point).twist;
  return {below, above, share, twist->is_own ? share * alone : std::max(share, alone), true};
}

std::uint32_t Joints::record(Turn turn) {
  if (std::max(turn.share, turn.twist) <= 0) turn = {turn.above, turn.above, 1, 1, false};
  if (std::min(turn.share, turn.twist) >= 1) turn = {turn.below, turn.below, 1, 1, false};
  const auto [known, added] = records_.emplace(turn, pass_.record_count);
  if (added) {
    const TwistBone* twist = turn.is_apart ? bone_between(turn.below, turn.above) : nullptr;
    const glm::vec3 axis = twist == nullptr ? glm::vec3(0) : glm::vec3(twist->bone.axis);
    const float most = twist == nullptr
                           ? glm::pi<float>()
                           : std::min(glm::pi<float>(), std::bit_cast<float>(twist->words[shared::kJointAngleWords]));
    append_record(pass_.records,
                  shared::SegmentRecord{turn.below, turn.above, turn.share, pivot(turn.below, turn.above),
                                        inverse_bind(turn.below), inverse_bind(turn.above), turn.twist, most, axis});
    ++pass_.record_count;
  }
  return known->second;
}

std::vector<std::vector<Influence>> Joints::painted(std::span<const std::span<const Influence>> rows,
                                                    std::span<const float> straight,
                                                    std::span<const glm::vec3> points) {
  struct Part {
    std::size_t row;
    Turn turn;
    float weight;
  };
  std::vector<Part> parts;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::pair<float, float>>> shares;
  const auto add_part = [&](std::size_t r, const Turn& turn, float weight) {
    if (!(weight > 0)) return;
    parts.push_back({r, turn, weight});
    if (turn.below != turn.above) shares[{turn.below, turn.above}].emplace(turn.share, turn.twist);
  };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::map<std::uint32_t, float> joints;
    float sum = 0;
    for (const Influence& influence : rows[r]) {
      if (!(influence.weight > 0)) continue;
      // Twist joints move as the bone does.
      const TwistBone* twist = bone_moving(input_.model.bound_joints[influence.index].joint);
      const std::uint32_t bound = twist == nullptr ? influence.index : twist->bone.bound;
      joints[input_.model.bound_joints[bound].joint] += influence.weight;
      sum += influence.weight;
    }
    const float turned = 1 - straight[r];
    for (const auto& [joint, weight] : joints) {
      add_part(r, turn_of(joint, points[r]), joints.size() == 1 ? 1.0f : straight[r] * weight / sum);
    }
    for (auto lower = joints.begin(); lower != joints.end(); ++lower) {
      for (auto upper = joints.begin(); upper != lower; ++upper) {
        const auto& [above, above_weight] = *upper;  // parents come before their children
        const auto& [below, below_weight] = *lower;
        const float one = above_weight * below_weight / (sum - above_weight);
        const float other = above_weight * below_weight / (sum - below_weight);
        const float share = other / (one + other), weight = turned * (one + other) / sum;
        const Turn between = turn_between(below, above, share, points[r]);
        // Skin that is nearly one joint's turns as skin of only that joint does.
        const Turn near = turn_of(share < 0.5f ? above : below, points[r]);
        const bool is_turned = near.share > 0 ? near.twist < 1 : near.twist > 0;
        const float least = static_cast<float>(kMixed), most = std::max(share, 1 - share);
        const bool is_other = bone_between(below, above) == nullptr;
        const float alone = is_other && is_turned ? std::max(0.0f, (most - 1 + least) / least) : 0.0f;
        add_part(r, near, weight * alone);
        add_part(r, between, weight * (1 - alone));
      }
    }
  }
  std::vector<std::vector<WeightedElement>> influences(rows.size());
  const auto add = [&](std::size_t r, const Turn& turn, float weight) {
    if (weight > 0) influences[r].push_back({record(turn), weight});
  };
  for (const auto& [r, turn, weight] : parts) {
    const auto& [below, above, share, twist, is_apart] = turn;
    if (below == above || shares[{below, above}].size() <= kPaintedSegments + 1) {
      add(r, turn, weight);
      continue;
    }
    // Between steps of the share and, if the twist is kept apart, of what that has beyond it.
    const bool is_own = is_apart && bone_between(below, above)->is_own;
    const float room = is_own ? share : 1 - share;
    const float taken = !is_apart || !(room > 0) ? 0 : is_own ? twist / share : (twist - share) / room;
    const auto between = [&](float at, std::uint32_t steps, const auto& visit) {
      const float place = static_cast<float>(steps) * at;
      const float low = std::min(std::floor(place), static_cast<float>(steps) - 1);
      visit(low / static_cast<float>(steps), 1 - place + low);
      visit((low + 1) / static_cast<float>(steps), place - low);
    };
    between(share, kPaintedSegments, [&](float s, float part) {
      if (!is_apart) return add(r, {below, above, s, s, false}, weight * part);
      between(taken, kTwistSteps, [&](float k, float some) {
        add(r, {below, above, s, is_own ? s * k : s + (1 - s) * k, true}, weight * part * some);
      });
    });
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

std::uint32_t Joints::finish() {
  if (records_.empty()) return 0;
  records_.clear();
  return input_.builder.add_pass(std::exchange(pass_, PalettePass{.kernel = PoseKernel::kSegment}));
}

}  // namespace pelt::hierarchical_bspline
