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

namespace pelt {
namespace {

constexpr double kBends[] = {90, 135};  // degrees of hinges, except fingers
constexpr double kFingerBends[] = {90};
constexpr double kMinTurn = 10;           // degrees
constexpr double kAlongTheBone = 0.9063;  // cosine of 25 degrees

// Largest turns of a joint from the rest pose, degrees.
struct Range {
  double front, back, up, down, out, in, twist;
};
constexpr Range kNoKind{45, 45, 45, 45, 45, 45, 45};
constexpr Range kPatch{0, 0, 15, 15, 0, 0, 0};
constexpr Range kTwist{0, 0, 0, 0, 0, 0, 60};

struct RoleRange {
  JointRole role;
  Range range;
};
constexpr RoleRange kBalls[] = {
    {JointRole::kHips, {30, 20, 0, 0, 20, 20, 20}},        {JointRole::kSpine, {30, 20, 0, 0, 20, 20, 20}},
    {JointRole::kChest, {30, 20, 0, 0, 20, 20, 20}},       {JointRole::kNeck, {40, 40, 0, 0, 30, 30, 60}},
    {JointRole::kHead, {40, 40, 0, 0, 30, 30, 60}},        {JointRole::kClavicle, {20, 20, 30, 10, 0, 0, 0}},
    {JointRole::kUpperArm, {90, 45, 140, 90, 90, 30, 60}}, {JointRole::kHand, {60, 60, 60, 60, 60, 60, 90}},
    {JointRole::kThigh, {90, 30, 90, 30, 45, 20, 40}},     {JointRole::kFoot, {30, 30, 30, 45, 20, 20, 20}},
};

const Range& range_of(const JointUse& use) {
  if (use.kind == JointKind::kPatch) return kPatch;
  if (use.kind == JointKind::kTwist) return kTwist;
  if (use.kind != JointKind::kBall) return kNoKind;
  const auto found = std::find_if(std::begin(kBalls), std::end(kBalls),
                                  [&](const RoleRange& range) { return range.role == use.role; });
  return found == std::end(kBalls) ? kNoKind : found->range;
}

class Sampler {
 public:
  explicit Sampler(const Character& character) : skeleton_(character->skeleton), body_(character) {}

  std::vector<CheckPose> poses() {
    for (std::uint32_t j = 0; j < body_.joint_count(); ++j) {
      if (!body_.moves_a_part(j)) continue;
      if (body_.use(j).kind == JointKind::kHinge && body_.hinge(j)) {
        bend(j);
      } else {
        swing(j);
      }
    }
    return std::move(poses_);
  }

 private:
  void add(std::uint32_t j, std::string_view what, const glm::dvec3& axis, double to, double by) {
    poses_.push_back({.name = fmt::format("{} {} {:.0f}", skeleton_.joints[j].name, what, to),
                      .turn = TurnFromRest{.joint = j, .axis = axis, .degrees = by}});
  }

  void bend(std::uint32_t j) {
    const glm::dvec3 before = body_.arriving(j).value_or(body_.bone(j));
    // Signed angle about the hinge; negative if the joint is overstretched in the rest pose. An angle beyond -20
    // degrees is not overstretched: fingers leave the hand at some angle.
    double at_rest = glm::degrees(
        std::atan2(glm::dot(glm::cross(before, body_.bone(j)), *body_.hinge(j)), glm::dot(before, body_.bone(j))));
    if (at_rest < -kClearlyBent) at_rest = 0;
    const std::size_t none = poses_.size();
    for (const double to : is_finger(body_.use(j).role) ? std::span<const double>(kFingerBends) : kBends) {
      if (std::abs(to - at_rest) >= kMinTurn) add(j, "bent", *body_.hinge(j), to, to - at_rest);
    }
    if (poses_.size() == none) add(j, "bent", *body_.hinge(j), 0, -at_rest);
  }

  void swing(std::uint32_t j) {
    const Range& range = range_of(body_.use(j));
    const double most[] = {range.front, range.back, range.up, range.down, range.out, range.in};
    const std::array<Anatomy::Direction, 6> ways = body_.directions(j);
    const double share = body_.four_legged() && is_limb_root(body_.use(j).role) ? 0.5 : 1.0;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const glm::dvec3& axis = ways[i].axis;
      if (std::abs(glm::dot(body_.bone(j), axis)) > kAlongTheBone) continue;
      const double by = std::min(share * most[i], degrees_between(body_.bone(j), axis));
      if (by >= kMinTurn) add(j, ways[i].name, glm::normalize(glm::cross(body_.bone(j), axis)), by, by);
    }
    if (range.twist > 0) add(j, "twisted", body_.bone(j), range.twist, range.twist);
  }

  const Skeleton& skeleton_;
  Anatomy body_;
  std::vector<CheckPose> poses_;
};

}  // namespace

std::vector<CheckPose> sample_poses(const Character& linear_blend) { return Sampler(linear_blend).poses(); }

}  // namespace pelt
