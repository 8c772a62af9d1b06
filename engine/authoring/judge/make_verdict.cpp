// SPDX-License-Identifier: MIT
#include "engine/authoring/judge/make_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>

#include <pelt/tools/judge_poses.h>

#include "engine/authoring/judge/anatomy.h"
#include "shaders/dual_quaternion/dual_quaternion.h"

namespace pelt {
namespace {

constexpr std::size_t kMaxPlaces = 12;
constexpr double kMinScore = 0.5;

std::string_view name_of(JointRole role) {
  switch (role) {
    case JointRole::kNone:
      return "";
    case JointRole::kHips:
      return "hips";
    case JointRole::kSpine:
      return "waist";
    case JointRole::kChest:
      return "chest";
    case JointRole::kNeck:
      return "neck";
    case JointRole::kHead:
      return "head";
    case JointRole::kClavicle:
      return "collarbone";
    case JointRole::kUpperArm:
      return "arm";
    case JointRole::kForearm:
      return "elbow";
    case JointRole::kHand:
      return "hand";
    case JointRole::kThigh:
      return "leg";
    case JointRole::kShin:
      return "knee";
    case JointRole::kHock:
      return "hock";
    case JointRole::kFoot:
      return "foot";
    case JointRole::kToes:
      return "toes";
    case JointRole::kThumb:
      return "thumb";
    case JointRole::kIndexMetacarpal:
    case JointRole::kIndex:
      return "index finger";
    case JointRole::kMiddleMetacarpal:
    case JointRole::kMiddle:
      return "middle finger";
    case JointRole::kRingMetacarpal:
    case JointRole::kRing:
      return "ring finger";
    case JointRole::kPinkyMetacarpal:
    case JointRole::kPinky:
      return "little finger";
  }
  return "";
}

// The name of the place where the skin passes from one joint to another.
struct Between {
  JointRole a, b;
  std::string_view name;
};
constexpr Between kBetween[] = {
    {JointRole::kUpperArm, JointRole::kForearm, "elbow"}, {JointRole::kForearm, JointRole::kHand, "wrist"},
    {JointRole::kHips, JointRole::kThigh, "hip"},         {JointRole::kSpine, JointRole::kThigh, "hip"},
    {JointRole::kThigh, JointRole::kThigh, "crotch"},     {JointRole::kThigh, JointRole::kShin, "knee"},
    {JointRole::kShin, JointRole::kFoot, "ankle"},        {JointRole::kHock, JointRole::kFoot, "ankle"},
    {JointRole::kShin, JointRole::kHock, "hock"},         {JointRole::kChest, JointRole::kNeck, "neck"},
    {JointRole::kNeck, JointRole::kHead, "neck"},         {JointRole::kChest, JointRole::kClavicle, "shoulder"},
    {JointRole::kFoot, JointRole::kToes, "toes"},
};
constexpr JointRole kBesideArms[] = {JointRole::kChest, JointRole::kSpine, JointRole::kClavicle, JointRole::kHips};

std::string_view passage_name(JointRole a, JointRole b) {
  for (const Between& passage : kBetween) {
    if ((passage.a == a && passage.b == b) || (passage.a == b && passage.b == a)) return passage.name;
  }
  return "";
}

bool is_beside_arm(JointRole role) { return std::ranges::find(kBesideArms, role) != std::end(kBesideArms); }

class Describer {
 public:
  explicit Describer(const Judge& judge)
      : judge_(judge),
        skeleton_(judge.linear_blend()->skeleton),
        body_(judge.linear_blend()),
        player_(*judge.linear_blend()) {
    player_.pose({});
    rest_.assign(player_.joints().begin(), player_.joints().end());
  }

  JudgedPlace describe(std::uint32_t vertex, const Fault& fault) {
    const SkinPlace place = judge_.place_of(vertex);
    JudgedPlace result{.where = where(place, judge_.rest(vertex)),
                       .when = {},
                       .fault = fault,
                       .pose = judge_.poses()[fault.frame],
                       .mesh = std::string(place.mesh),
                       .joint = std::string(place.joint),
                       .vertex = place.vertex};
    result.when = when(place, result.where, result.pose);
    return result;
  }

 private:
  std::string sided(Side side, std::string_view name) const {
    return fmt::format("{}{}", side == Side::kLeft ? "left " : side == Side::kRight ? "right " : "", name);
  }

  // Names a place by the roles of the joints that move it, or else by a joint's name.
  std::string where(const SkinPlace& place, const glm::vec3& at) const {
    if (!place.strongest) return fmt::format("mesh '{}'", place.mesh);
    const JointUse& strongest = body_.use(*place.strongest);
    if (place.second) {
      const JointUse& other = body_.use(*place.second);
      const Side side = strongest.side != Side::kNone ? strongest.side : other.side;
      const bool strongest_is_arm = strongest.role == JointRole::kUpperArm;
      if ((strongest_is_arm && is_beside_arm(other.role)) ||
          (other.role == JointRole::kUpperArm && is_beside_arm(strongest.role))) {
        const bool below = at.y < body_.place(strongest_is_arm ? *place.strongest : *place.second).y;
        return sided(side, below ? "armpit" : "shoulder");
      }
      const std::string_view name = passage_name(strongest.role, other.role);
      if (name == "crotch") return "crotch";
      if (!name.empty()) return sided(side, name);
    }
    const std::string_view name = name_of(strongest.role);
    if (!name.empty()) return sided(strongest.side, name);
    return fmt::format("at joint '{}'", place.joint);
  }

  // Describes the largest turn among the joints that move the place and their parents.
  std::string when(const SkinPlace& place, std::string_view where, const JudgedPose& pose) {
    std::string words;
    if (pose.turn) {
      words =
          turn_in_words(pose.turn->joint, where,
                        glm::dmat3(glm::rotate(glm::dmat4(1.0), glm::radians(pose.turn->degrees), pose.turn->axis)));
    } else {
      player_.pose(pose);
      double most = 0;
      for (std::optional<std::uint32_t> joint : {place.strongest, place.second}) {
        for (int step = 0; joint && step < 2; ++step, joint = skeleton_.parent_of(*joint)) {
          const glm::dmat3 turn = local_turn(*joint);
          const double degrees =
              glm::degrees(std::acos(std::clamp((turn[0][0] + turn[1][1] + turn[2][2] - 1) / 2, -1.0, 1.0)));
          if (degrees <= most) continue;
          most = degrees;
          words = turn_in_words(*joint, where, turn);
        }
      }
    }
    if (!pose.clip) return words.empty() ? pose.name : words;
    const std::string& clip = judge_.linear_blend()->clips[*pose.clip].name;
    return fmt::format("{}{}in '{}' at {:.2f} s", words, words.empty() ? "" : " ", clip, pose.seconds);
  }

  std::string turn_in_words(std::uint32_t joint, std::string_view where, const glm::dmat3& turn) const {
    std::string words = body_.turn_in_words(joint, turn);
    if (words.empty()) return "";
    const std::string_view name = name_of(body_.use(joint).role);
    if (!name.empty() && where.ends_with(name)) return words;  // "left knee, bent 90"
    return fmt::format("{} {}", name.empty() ? fmt::format("'{}'", skeleton_.joints[joint].name) : name, words);
  }

  // Returns the turn of a joint against its parent, relative to the rest pose, in model space.
  glm::dmat3 local_turn(std::uint32_t joint) const {
    const auto turned = [&](std::uint32_t j) { return axes(player_.joints()[j]) * glm::transpose(axes(rest_[j])); };
    const std::optional<std::uint32_t> parent = skeleton_.parent_of(joint);
    return parent ? glm::transpose(turned(*parent)) * turned(joint) : turned(joint);
  }

  static glm::dmat3 axes(const glm::mat4& matrix) { return glm::dmat3(shared::orthonormal_axes(glm::mat3(matrix))); }

  const Judge& judge_;
  const Skeleton& skeleton_;
  Anatomy body_;
  PosePlayer player_;
  std::vector<glm::mat4> rest_;  // of the joints
};

}  // namespace

Verdict make_verdict(const Judge& judge, const Faults& faults, std::span<const float> left) {
  Verdict verdict{.poses = judge.poses().size(),
                  .from_clips = !judge.poses().empty() && judge.poses()[0].clip.has_value()};
  std::vector<std::uint32_t> bad;
  for (std::uint32_t v = 0; v < faults.vertices.size(); ++v) {
    if (faults.vertices[v].score >= kMinScore) bad.push_back(v);
  }
  std::ranges::stable_sort(bad, std::greater(), [&](std::uint32_t v) { return faults.vertices[v].score; });
  Describer describer(judge);
  std::set<std::string, std::less<>> seen;
  for (const std::uint32_t v : bad) {
    if (verdict.places.size() == kMaxPlaces) break;
    const SkinPlace place = judge.place_of(v);
    if (!seen.emplace(place.joint).second) continue;
    verdict.places.push_back(describer.describe(v, faults.vertices[v]));
    if (!left.empty()) verdict.places.back().left = left[v];
  }
  if (left.empty()) return verdict;
  const std::vector<double> areas = judge.areas();
  double all = 0;
  for (std::size_t v = 0; v < areas.size(); ++v) {
    all += areas[v];
    verdict.left += areas[v] * left[v];
  }
  if (all > 0) verdict.left /= all;
  return verdict;
}

}  // namespace pelt
