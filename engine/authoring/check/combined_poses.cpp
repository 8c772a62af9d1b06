// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <glm/glm.hpp>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <pelt/tools/joint_roles.h>
#include <pelt/tools/sample_poses.h>

#include "engine/authoring/check/anatomy.h"
#include "engine/character/model/skeleton_walk.h"

namespace pelt {
namespace {

// For each joint, those that deform a vertex that it deforms, too: parts of the vertex's weights are at or below each.
class SharedSkin {
 public:
  explicit SharedSkin(const Character& character)
      : character_(*character), others_(character_.skeleton.joints.size()), weights_(others_.size()) {
    for (const CharacterMesh& mesh : character_.meshes) {
      if (mesh.control) continue;
      const SparseRows painted = painted_rows(mesh);
      for (std::size_t v = 0; v < painted.row_count(); ++v) add(painted.row(v));
    }
  }

  bool between(std::uint32_t a, std::uint32_t b) const { return std::ranges::binary_search(others_[a], b); }
  std::span<const std::uint32_t> of(std::uint32_t joint) const { return others_[joint]; }

 private:
  void add(std::span<const Influence> row) {
    constexpr float kSome = 0.05f;         // less is hardly visible
    constexpr std::size_t kMaxAbove = 16;  // farther up, joints of one limb meet
    std::vector<std::uint32_t> seen;       // joints at or above those of the row
    for (const Influence& influence : row) {
      std::optional<std::uint32_t> joint = character_.bound_joints[influence.index].joint;
      for (std::size_t i = 0; joint && i < kMaxAbove; ++i, joint = character_.skeleton.parent_of(*joint)) {
        if (weights_[*joint] == 0) seen.push_back(*joint);
        weights_[*joint] += influence.weight;
      }
    }
    std::erase_if(seen, [&](std::uint32_t joint) {
      const float weight = std::exchange(weights_[joint], 0.0f);
      return weight < kSome || weight > 1 - kSome;
    });
    for (const std::uint32_t a : seen) {
      for (const std::uint32_t b : seen) {
        const auto at = std::ranges::lower_bound(others_[a], b);
        if (at == others_[a].end() || *at != b) others_[a].insert(at, b);
      }
    }
  }

  const CharacterData& character_;
  std::vector<std::vector<std::uint32_t>> others_;  // ascending
  std::vector<float> weights_;                      // at or below each joint, of one row
};

class Combination {
 public:
  Combination(const Character& character, std::size_t most)
      : skeleton_(character->skeleton),
        uses_(joint_uses(skeleton_)),
        skin_(character),
        turns_(turns_of_joints(character)),
        most_(most) {
    const auto angle = [](const TurnFromRest& turn) { return std::abs(turn.degrees); };
    for (std::vector<TurnFromRest>& turns : turns_) std::ranges::stable_sort(turns, std::greater(), angle);
  }

  std::vector<CheckPose> poses() {
    add_fists();
    for (std::size_t i = 0; i < kNeighbourTurns; ++i) add_neighbours(i);
    bool more = true;
    for (std::size_t i = 0; more; ++i) {
      more = false;
      for (const std::vector<TurnFromRest>& turns : turns_) {
        if (i >= turns.size()) continue;
        add({&turns[i]});
        more = true;
      }
    }
    fill();
    std::vector<CheckPose> poses;
    for (const std::vector<const TurnFromRest*>& turned : turned_) {
      CheckPose& pose = poses.emplace_back(CheckPose{.name = fmt::format("pose {}", poses.size())});
      for (const TurnFromRest* turn : turned) {
        if (turn != nullptr) pose.turns.push_back(*turn);
      }
    }
    return poses;
  }

 private:
  static constexpr std::size_t kNeighbourTurns = 2;
  static constexpr double kShared = 2.0 / 3;

  bool may_join(const TurnFromRest& turn, std::span<const TurnFromRest* const> pose) const {
    if (pose[turn.joint] != nullptr) return pose[turn.joint]->name == turn.name;
    return std::ranges::none_of(skin_.of(turn.joint), [&](std::uint32_t other) { return pose[other] != nullptr; });
  }

  // Adds turns that belong together to the first pose in which no other joint moves their skin, else to a new one.
  void add(const std::vector<const TurnFromRest*>& turns) {
    auto pose = std::ranges::find_if(turned_, [&](const auto& turned) {
      return std::ranges::all_of(turns, [&](const TurnFromRest* turn) { return may_join(*turn, turned); });
    });
    if (pose == turned_.end()) {
      if (turned_.size() == most_) return;
      pose = turned_.emplace(pose, turns_.size());
    }
    for (const TurnFromRest* turn : turns) (*pose)[turn->joint] = turn;
  }

  void add_fists() {
    std::map<Side, std::vector<const TurnFromRest*>> hands;
    for (std::uint32_t j = 0; j < turns_.size(); ++j) {
      if (is_finger(uses_[j].role) && !turns_[j].empty()) hands[uses_[j].side].push_back(&turns_[j][0]);
    }
    for (const auto& [side, fingers] : hands) add(fingers);
  }

  // Returns a turn for joints that share a motion: ball joints swing less far.
  const TurnFromRest* shared(const TurnFromRest& turn) {
    if (uses_[turn.joint].kind != JointKind::kBall) return &turn;
    TurnFromRest& part = shared_.emplace_back(turn);
    part.degrees *= kShared;
    part.name = fmt::format("{} {:.0f}", turn.name.substr(0, turn.name.rfind(' ')), part.degrees);
    return &part;
  }

  // Turns joints together with the next one above: elbows and knees with the limb's first joint, both as far as they
  // can, others that deform the same skin as far as possible to the same side.
  void add_neighbours(std::size_t turn) {
    for (std::uint32_t j = 0; j < turns_.size(); ++j) {
      if (turn >= turns_[j].size() || uses_[j].kind == JointKind::kPatch) continue;
      const auto above = find_above(
          skeleton_, j, [&](std::uint32_t p) { return !turns_[p].empty() && uses_[p].kind != JointKind::kTwist; });
      if (!above) continue;
      const TurnFromRest& own = turns_[j][turn];
      if (uses_[j].kind == JointKind::kHinge && is_limb_root(uses_[*above].role)) {
        add({&own, &turns_[*above][0]});
      } else if (skin_.between(j, *above)) {
        const auto alike = [&](const TurnFromRest& other) {
          return other.degrees * glm::dot(other.axis, own.axis) * (own.degrees < 0 ? -1 : 1);
        };
        add({shared(own), shared(*std::ranges::max_element(turns_[*above], {}, alike))});
      }
    }
  }

  // Turns the joints that still may turn in each pose, in the sequence of their turns.
  void fill() {
    std::vector<std::size_t> next(turns_.size());
    for (std::vector<const TurnFromRest*>& pose : turned_) {
      for (std::uint32_t j = 0; j < turns_.size(); ++j) {
        if (turns_[j].empty() || pose[j] != nullptr) continue;
        const TurnFromRest& turn = turns_[j][next[j] % turns_[j].size()];
        if (!may_join(turn, pose)) continue;
        pose[j] = &turn;
        ++next[j];
      }
    }
  }

  const Skeleton& skeleton_;
  std::vector<JointUse> uses_;
  SharedSkin skin_;
  std::vector<std::vector<TurnFromRest>> turns_;  // of each joint, the largest first
  std::deque<TurnFromRest> shared_;               // of joints that turn together
  std::size_t most_;
  std::vector<std::vector<const TurnFromRest*>> turned_;  // for each pose, the turn of each joint; null: none
};

}  // namespace

std::vector<CheckPose> combined_poses(const Character& linear_blend, std::size_t most) {
  return Combination(linear_blend, most).poses();
}

}  // namespace pelt
