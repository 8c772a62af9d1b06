// SPDX-License-Identifier: MIT
#include "engine/judge/sample_poses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/glm.hpp>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "engine/character/evaluate.h"
#include "engine/model/pose.h"
#include "engine/rig/joint_roles.h"

namespace pelt {
namespace {

constexpr double kBends[] = {90, 135};  // degrees, of hinges
constexpr double kFingerBends[] = {90};
constexpr double kLeastTurn = 10;         // degrees
constexpr double kBentAtRest = 5;         // degrees from which on a hinge shows how it bends
constexpr double kClearlyBent = 20;       // degrees from which on it does, whatever its name says
constexpr double kAlongTheBone = 0.9063;  // cosine of 25 degrees

// Degrees.
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
  const auto found =
      std::find_if(std::begin(kBalls), std::end(kBalls), [&](const RoleRange& own) { return own.role == use.role; });
  return found == std::end(kBalls) ? kNoKind : found->range;
}

bool is_trunk(JointRole role) {
  return role == JointRole::kHips || role == JointRole::kSpine || role == JointRole::kChest ||
         role == JointRole::kNeck || role == JointRole::kHead;
}
bool is_limb(JointRole role) { return role == JointRole::kUpperArm || role == JointRole::kThigh; }
bool is_finger(JointRole role) {
  return role == JointRole::kThumb || role == JointRole::kIndex || role == JointRole::kMiddle ||
         role == JointRole::kRing || role == JointRole::kPinky;
}

std::optional<glm::dvec3> unit(const glm::dvec3& v) {
  const double length = glm::length(v);
  return length > 0 ? std::optional(v / length) : std::nullopt;
}

double degrees_between(const glm::dvec3& a, const glm::dvec3& b) {
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

constexpr glm::dvec3 kUp(0, 1, 0);

class Sampler {
 public:
  explicit Sampler(const Character& character)
      : skeleton_(character->skeleton), uses_(joint_uses(skeleton_)), count_(uses_.size()) {
    std::vector<glm::mat4> rest(count_);
    rest_matrices(skeleton_, rest);
    for (const glm::mat4& matrix : rest) places_.emplace_back(matrix[3]);
    weigh_skin(character);
    descend();
    find_bones();
    find_front();
    find_hinges();
  }

  std::vector<JudgedPose> poses() {
    for (std::uint32_t j = 0; j < count_; ++j) {
      if (skin_below_[j] == 0 || skin_[j] == 0 || skin_below_[j] == skin_joints_) continue;
      if (uses_[j].kind == JointKind::kHinge && hinges_[j]) {
        bend(j);
      } else {
        swing(j);
      }
    }
    return std::move(poses_);
  }

 private:
  std::optional<std::uint32_t> parent_of(std::uint32_t j) const {
    const std::int32_t parent = skeleton_.joints[j].parent;
    return parent < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(parent));
  }

  // How much skin each joint moves, and where its middle is at rest.
  void weigh_skin(const Character& character) {
    skin_.assign(count_, 0);
    middles_.assign(count_, glm::dvec3(0));
    Evaluator evaluator(character, {.normals = false, .tangents = false});
    evaluator.evaluate();
    for (const CharacterMesh& mesh : character->meshes) {
      if (mesh.control) continue;
      for (std::size_t v = 0; v < mesh.weights.row_count(); ++v) {
        const glm::dvec3 position(evaluator.positions()[mesh.first_vertex + v]);
        for (const Influence& influence : mesh.weights.row(v)) {
          const std::uint32_t joint = character->bound_joints[influence.index].joint;
          skin_[joint] += influence.weight;
          middles_[joint] += double{influence.weight} * position;
        }
      }
    }
    for (std::uint32_t j = 0; j < count_; ++j) {
      if (skin_[j] > 0) middles_[j] /= skin_[j];
    }
  }

  void descend() {
    below_.assign(count_, 0);
    skin_below_.assign(count_, 0);
    for (auto j = static_cast<std::uint32_t>(count_); j-- > 0;) {
      if (skin_[j] > 0) ++skin_below_[j], ++skin_joints_;
      const auto parent = parent_of(j);
      if (!parent) continue;
      below_[*parent] += below_[j] + 1;
      skin_below_[*parent] += skin_below_[j];
    }
  }

  // From where each joint stands to where its bone ends, unit.
  void find_bones() {
    std::vector<std::optional<std::uint32_t>> next(count_);
    const auto rank = [&](std::uint32_t j, std::uint32_t child) {
      return std::pair(is_trunk(uses_[j].role) && is_trunk(uses_[child].role), below_[child]);
    };
    for (std::uint32_t c = 0; c < count_; ++c) {
      const auto j = parent_of(c);
      if (!j || skin_below_[c] == 0 || places_[c] == places_[*j]) continue;
      if (!next[*j] || rank(*j, c) > rank(*j, *next[*j])) next[*j] = c;
    }
    bones_.resize(count_);
    for (std::uint32_t j = 0; j < count_; ++j) {
      std::optional<glm::dvec3> bone;
      if (next[j]) bone = unit(places_[*next[j]] - places_[j]);
      if (!bone && skin_[j] > 0) bone = unit(middles_[j] - places_[j]);
      if (!bone) bone = arriving(j);
      bones_[j] = bone.value_or(kUp);
    }
  }

  // The bone that arrives at a joint, unit.
  std::optional<glm::dvec3> arriving(std::uint32_t j) const {
    for (auto p = parent_of(j); p; p = parent_of(*p)) {
      if (places_[*p] != places_[j]) return unit(places_[j] - places_[*p]);
    }
    return std::nullopt;
  }

  void find_front() {
    glm::dvec3 feet(0), trunk(0);
    std::optional<std::uint32_t> hips, head;
    for (std::uint32_t j = 0; j < count_; ++j) {
      if (uses_[j].role == JointRole::kFoot) feet += bones_[j] - glm::dot(bones_[j], kUp) * kUp;
      if (uses_[j].role == JointRole::kHips && !hips) hips = j;
      if (uses_[j].role == JointRole::kHead || (uses_[j].role == JointRole::kNeck && !head)) head = j;
    }
    if (hips && head) trunk = unit(places_[*head] - places_[*hips]).value_or(kUp);
    four_legged_ = hips && head && std::abs(glm::dot(trunk, kUp)) < 0.7071;
    const glm::dvec3 ahead = four_legged_ ? trunk - glm::dot(trunk, kUp) * kUp : feet;
    if (glm::length(ahead) > 0.3) front_ = glm::normalize(ahead);
    left_ = glm::cross(kUp, front_);
  }

  // Finds the axes about which hinges bend further.
  void find_hinges() {
    hinges_.resize(count_);
    for (std::uint32_t j = 0; j < count_; ++j) {
      if (uses_[j].kind != JointKind::kHinge) continue;
      const glm::dvec3 before = arriving(j).value_or(bones_[j]);
      const double at_rest = degrees_between(before, bones_[j]);
      if (at_rest >= kBentAtRest) hinges_[j] = unit(glm::cross(before, bones_[j]));
      const auto by_name = hinge_by_name(j);
      if (by_name && (!hinges_[j] || (at_rest < kClearlyBent && glm::dot(*by_name, *hinges_[j]) < 0))) {
        hinges_[j] = by_name;
      }
      if (!is_finger(uses_[j].role)) continue;
      const auto parent = parent_of(j);
      if (!parent || uses_[*parent].role != uses_[j].role) {
        hinges_[j].reset();
        continue;
      }
      std::optional<glm::dvec3>& above = hinges_[*parent];
      if (!above && uses_[*parent].kind == JointKind::kHinge) above = hinges_[j];
      // The bone of a finger's end is only as straight as its skin.
      const bool turned = above && hinges_[j] && at_rest < kClearlyBent && glm::dot(*above, *hinges_[j]) < 0;
      if (!hinges_[j] || turned) hinges_[j] = above;
    }
  }

  std::optional<glm::dvec3> hinge_by_name(std::uint32_t j) const {
    const bool is_knee = uses_[j].role == JointRole::kShin;
    if (!is_knee && uses_[j].role != JointRole::kForearm) return std::nullopt;
    return unit(glm::cross(bones_[j], is_knee ? -front_ : front_));
  }

  void add(std::uint32_t j, std::string_view what, const glm::dvec3& axis, double to, double by) {
    poses_.push_back({.name = fmt::format("{} {} {:.0f}", skeleton_.joints[j].name, what, to),
                      .turn = JointTurn{.joint = j, .axis = axis, .degrees = by}});
  }

  void bend(std::uint32_t j) {
    const glm::dvec3 before = arriving(j).value_or(bones_[j]);
    // About the hinge; negative where it rests overstretched. What is further that way is no stretch: fingers leave the
    // hand at some angle.
    double at_rest =
        glm::degrees(std::atan2(glm::dot(glm::cross(before, bones_[j]), *hinges_[j]), glm::dot(before, bones_[j])));
    if (at_rest < -kClearlyBent) at_rest = 0;
    const std::size_t none = poses_.size();
    for (const double to : is_finger(uses_[j].role) ? std::span<const double>(kFingerBends) : kBends) {
      if (std::abs(to - at_rest) >= kLeastTurn) add(j, "bent", *hinges_[j], to, to - at_rest);
    }
    if (poses_.size() == none) add(j, "bent", *hinges_[j], 0, -at_rest);
  }

  void swing(std::uint32_t j) {
    const Range& range = range_of(uses_[j]);
    const bool sided = uses_[j].side != Side::kNone;
    const glm::dvec3 out = uses_[j].side == Side::kRight ? -left_ : left_;
    const struct {
      std::string_view name;
      glm::dvec3 direction;
      double most;
    } ways[] = {{"front", front_, range.front},
                {"back", -front_, range.back},
                {"up", kUp, range.up},
                {"down", -kUp, range.down},
                {sided ? "out" : "left", out, range.out},
                {sided ? "in" : "right", -out, range.in}};
    const double share = four_legged_ && is_limb(uses_[j].role) ? 0.5 : 1.0;
    for (const auto& [name, direction, most] : ways) {
      if (std::abs(glm::dot(bones_[j], direction)) > kAlongTheBone) continue;
      const double by = std::min(share * most, degrees_between(bones_[j], direction));
      if (by >= kLeastTurn) add(j, name, glm::normalize(glm::cross(bones_[j], direction)), by, by);
    }
    if (range.twist > 0) add(j, "twisted", bones_[j], range.twist, range.twist);
  }

  const Skeleton& skeleton_;
  std::vector<JointUse> uses_;
  std::size_t count_;
  std::vector<glm::dvec3> places_;         // of the joints, at rest
  std::vector<double> skin_;               // summed weights
  std::vector<glm::dvec3> middles_;        // of that skin
  std::vector<std::uint32_t> below_;       // how many joints are below
  std::vector<std::uint32_t> skin_below_;  // how many that move skin are, itself with them
  std::uint32_t skin_joints_ = 0;          // how many there are
  std::vector<glm::dvec3> bones_;
  std::vector<std::optional<glm::dvec3>> hinges_;
  glm::dvec3 front_{0, 0, 1};
  glm::dvec3 left_{1, 0, 0};
  bool four_legged_ = false;
  std::vector<JudgedPose> poses_;
};

}  // namespace

std::vector<JudgedPose> sample_poses(const Character& linear_blend) { return Sampler(linear_blend).poses(); }

}  // namespace pelt
