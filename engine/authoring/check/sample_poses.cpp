// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <glm/glm.hpp>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include <pelt/tools/sample_poses.h>

#include "engine/authoring/check/anatomy.h"
#include "engine/character/model/skeleton_walk.h"

namespace pelt {
namespace {

constexpr double kBends[] = {90, 135};  // degrees of hinges, except fingers
constexpr double kFingerBends[] = {90};
constexpr double kMinTurn = 10;  // degrees
constexpr double kRow = 180;     // degrees; joints of no kind in a row, such as a tail's, bend so far together
constexpr double kMinRow = 15;
constexpr double kAlongTheBone = 0.9063;  // cosine of 25 degrees

// Largest turns of a joint from the rest pose, degrees.
struct Range {
  double front, back, up, down, out, in, twist;
};
constexpr Range kNoKind{45, 45, 45, 45, 45, 45, 45};
constexpr Range kPatch{0, 0, 15, 15, 0, 0, 0};
constexpr Range kJaw{0, 0, 15, 30, 0, 0, 0};
constexpr Range kTwist{0, 0, 0, 0, 0, 0, 60};

struct RoleRange {
  JointRole role;
  Range range;
};
constexpr RoleRange kBalls[] = {
    {JointRole::kHips, {30, 20, 0, 0, 20, 20, 20}},        {JointRole::kSpine, {30, 20, 0, 0, 20, 20, 20}},
    {JointRole::kChest, {30, 20, 0, 0, 20, 20, 20}},       {JointRole::kNeck, {40, 40, 0, 0, 30, 30, 60}},
    {JointRole::kHead, {40, 40, 0, 0, 30, 30, 60}},        {JointRole::kClavicle, {20, 20, 30, 10, 0, 0, 0}},
    {JointRole::kUpperArm, {90, 45, 140, 90, 90, 30, 60}}, {JointRole::kHand, {60, 60, 80, 80, 80, 80, 120}},
    {JointRole::kThigh, {115, 30, 90, 30, 45, 20, 40}},    {JointRole::kFoot, {30, 30, 30, 45, 20, 20, 20}},
};

const Range& range_of(const JointUse& use, std::string_view word) {
  if (use.kind == JointKind::kPatch) return word == "jaw" ? kJaw : kPatch;
  if (use.kind == JointKind::kTwist) return kTwist;
  if (use.kind != JointKind::kBall) return kNoKind;
  const auto found = std::find_if(std::begin(kBalls), std::end(kBalls),
                                  [&](const RoleRange& range) { return range.role == use.role; });
  return found == std::end(kBalls) ? kNoKind : found->range;
}

class Sampler {
 public:
  explicit Sampler(const Character& character)
      : skeleton_(character->skeleton),
        body_(character),
        names_(parse_joint_names(skeleton_)),
        turns_(body_.joint_count()) {}

  std::vector<std::vector<TurnFromRest>> turns() {
    find_rows();
    for (std::uint32_t j = 0; j < body_.joint_count(); ++j) {
      if (!body_.moves_a_part(j)) continue;
      if (body_.use(j).kind == JointKind::kHinge && body_.hinge(j)) {
        bend(j);
      } else {
        swing(j);
      }
    }
    return std::move(turns_);
  }

 private:
  void add(std::uint32_t j, std::string_view what, const glm::dvec3& axis, double to, double by) {
    turns_[j].push_back({.joint = j,
                         .axis = axis,
                         .degrees = by,
                         .name = fmt::format("{} {} {:.0f}", skeleton_.joints[j].name, what, to)});
  }

  void bend(std::uint32_t j) {
    const glm::dvec3 before = body_.arriving(j).value_or(body_.bone(j));
    // Signed angle about the hinge; negative if the joint is overstretched in the rest pose. An angle beyond -20
    // degrees is not overstretched: fingers leave the hand at some angle.
    double at_rest = glm::degrees(
        std::atan2(glm::dot(glm::cross(before, body_.bone(j)), *body_.hinge(j)), glm::dot(before, body_.bone(j))));
    if (at_rest < -kClearlyBent) at_rest = 0;
    for (const double to : is_finger(body_.use(j).role) ? std::span<const double>(kFingerBends) : kBends) {
      if (std::abs(to - at_rest) >= kMinTurn) add(j, "bent", *body_.hinge(j), to, to - at_rest);
    }
    if (turns_[j].empty()) add(j, "bent", *body_.hinge(j), 0, -at_rest);
  }

  // Counts the joints of no kind that follow one another without a branch.
  void find_rows() {
    const auto children = children_of_joints(skeleton_);
    std::vector<std::uint32_t> first(body_.joint_count());
    rows_.resize(first.size());
    for (std::uint32_t j = 0; j < first.size(); ++j) {
      const auto parent = skeleton_.parent_of(j);
      const bool follows = parent && children[*parent].size() == 1 && body_.use(*parent).kind == JointKind::kNone;
      first[j] = follows ? first[*parent] : j;
      if (body_.use(j).kind == JointKind::kNone) ++rows_[first[j]];
    }
    for (std::uint32_t j = 0; j < first.size(); ++j) rows_[j] = rows_[first[j]];
  }

  void swing(std::uint32_t j) {
    const Range& range = range_of(body_.use(j), names_[j].word);
    const double most[] = {range.front, range.back, range.up, range.down, range.out, range.in};
    const std::array<Anatomy::Direction, 6> ways = body_.directions(j);
    const bool known = body_.use(j).kind != JointKind::kNone;
    const double in_row = known ? 1.0 : std::clamp(kRow / rows_[j], kMinRow, most[0]) / most[0];
    const double share = body_.four_legged() && is_limb_root(body_.use(j).role) ? 0.5 : in_row;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const glm::dvec3& axis = ways[i].axis;
      if (std::abs(glm::dot(body_.bone(j), axis)) > kAlongTheBone) continue;
      const bool beyond = i == 0 && body_.use(j).role == JointRole::kThigh;
      const double by = std::min(share * most[i], beyond ? 180 : degrees_between(body_.bone(j), axis));
      if (by >= kMinTurn) add(j, ways[i].name, glm::normalize(glm::cross(body_.bone(j), axis)), by, by);
    }
    const double twist = in_row * range.twist;
    if (twist > 0) add(j, "twisted", body_.bone(j), twist, twist);
  }

  const Skeleton& skeleton_;
  Anatomy body_;
  std::vector<JointName> names_;
  std::vector<std::uint32_t> rows_;  // for each joint of no kind, the number of such joints in its row
  std::vector<std::vector<TurnFromRest>> turns_;
};

}  // namespace

std::vector<std::vector<TurnFromRest>> turns_of_joints(const Character& linear_blend) {
  return Sampler(linear_blend).turns();
}

std::vector<CheckPose> sample_poses(const Character& linear_blend) {
  std::vector<CheckPose> poses;
  for (const std::vector<TurnFromRest>& turns : turns_of_joints(linear_blend)) {
    for (const TurnFromRest& turn : turns) poses.push_back({.name = turn.name, .turns = {turn}});
  }
  return poses;
}

}  // namespace pelt
