// SPDX-License-Identifier: MIT
#include "engine/authoring/check/anatomy.h"

#include <algorithm>
#include <cmath>

#include <pelt/evaluate.h>
#include <pelt/pose.h>
#include <pelt/tools/parallel.h>

namespace pelt {
namespace {

constexpr double kBentAtRest = 5;    // degrees; a hinge bent at least so far in the rest pose shows which way it bends
constexpr double kMostShared = 0.5;  // fraction of the skin that a part shares with others
constexpr double kOffCentre = 1e-3;  // fraction of the length of the parent's bone

bool is_trunk(JointRole role) {
  return role == JointRole::kHips || role == JointRole::kSpine || role == JointRole::kChest ||
         role == JointRole::kNeck || role == JointRole::kHead;
}

std::optional<glm::dvec3> unit(const glm::dvec3& v) {
  const double length = glm::length(v);
  return length > 0 ? std::optional(v / length) : std::nullopt;
}

}  // namespace

double degrees_between(const glm::dvec3& a, const glm::dvec3& b) {
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

bool is_limb_root(JointRole role) { return role == JointRole::kUpperArm || role == JointRole::kThigh; }

bool is_finger(JointRole role) {
  return role == JointRole::kThumb || role == JointRole::kIndex || role == JointRole::kMiddle ||
         role == JointRole::kRing || role == JointRole::kPinky;
}

Anatomy::Anatomy(const Character& linear_blend) : skeleton_(linear_blend->skeleton), uses_(joint_uses(skeleton_)) {
  std::vector<glm::mat4> rest(uses_.size());
  rest_matrices(skeleton_, rest);
  for (const glm::mat4& matrix : rest) places_.emplace_back(matrix[3]);
  weigh_skin(linear_blend);
  descend();
  find_bones();
  find_front();
  find_hinges();
  find_torn();
}

bool Anatomy::moves_a_part(std::uint32_t j) const {
  return skin_[j] != 0 && skin_below_[j] != skin_joints_ && !tears_[j];
}

// Sums the weights of skin on each joint, and finds the centre of that skin in the rest pose.
void Anatomy::weigh_skin(const Character& character) {
  skin_.assign(uses_.size(), 0);
  middles_.assign(uses_.size(), glm::dvec3(0));
  Evaluator evaluator(
      character,
      {.jobs = thread_jobs(), .normals = false, .tangents = false, .morphs = false, .same_everywhere = true});
  evaluator.evaluate();
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control) continue;
    const SparseRows painted = painted_rows(mesh);
    for (std::size_t v = 0; v < painted.row_count(); ++v) {
      const glm::dvec3 position(evaluator.positions()[mesh.first_vertex + v]);
      for (const Influence& influence : painted.row(v)) {
        const std::uint32_t joint = character->bound_joints[influence.index].joint;
        skin_[joint] += influence.weight;
        middles_[joint] += double{influence.weight} * position;
        for (const Influence& other : painted.row(v)) {
          const std::uint32_t second = character->bound_joints[other.index].joint;
          if (joint < second) shared_[{joint, second}] += std::min(influence.weight, other.weight);
        }
      }
    }
  }
  for (std::uint32_t j = 0; j < uses_.size(); ++j) {
    if (skin_[j] > 0) middles_[j] /= skin_[j];
  }
}

void Anatomy::descend() {
  below_.assign(uses_.size(), 0);
  skin_below_.assign(uses_.size(), 0);
  for (auto j = static_cast<std::uint32_t>(uses_.size()); j-- > 0;) {
    if (skin_[j] > 0) ++skin_below_[j], ++skin_joints_;
    const auto parent = skeleton_.parent_of(j);
    if (!parent) continue;
    below_[*parent] += below_[j] + 1;
    skin_below_[*parent] += skin_below_[j];
  }
}

// Finds the unit directions from each joint to the end of its bone, and of the bone that ends there.
void Anatomy::find_bones() {
  std::vector<std::optional<std::uint32_t>> next(uses_.size());
  const auto rank = [&](std::uint32_t j, std::uint32_t child) {
    return std::pair(is_trunk(uses_[j].role) && is_trunk(uses_[child].role), below_[child]);
  };
  for (std::uint32_t c = 0; c < uses_.size(); ++c) {
    const auto j = skeleton_.parent_of(c);
    if (!j || skin_below_[c] == 0 || places_[c] == places_[*j]) continue;
    if (!next[*j] || rank(*j, c) > rank(*j, *next[*j])) next[*j] = c;
  }
  bones_.resize(uses_.size());
  for (std::uint32_t j = 0; j < uses_.size(); ++j) {
    std::optional<glm::dvec3> bone;
    if (next[j]) bone = unit(places_[*next[j]] - places_[j]);
    // Skin all round a joint, as round an eye, defines no direction.
    const auto parent = skeleton_.parent_of(j);
    const double least = parent ? kOffCentre * glm::distance(places_[j], places_[*parent]) : 0.0;
    const glm::dvec3 to_skin = middles_[j] - places_[j];
    if (!bone && skin_[j] > 0 && glm::length(to_skin) > least) bone = unit(to_skin);
    const bool same = parent && places_[*parent] == places_[j];
    arriving_.push_back(same ? arriving_[*parent] : parent ? unit(places_[j] - places_[*parent]) : std::nullopt);
    if (!bone) bone = arriving_[j];
    bones_[j] = bone.value_or(kUp);
  }
}

void Anatomy::find_front() {
  glm::dvec3 feet(0), trunk(0);
  std::optional<std::uint32_t> hips, head;
  for (std::uint32_t j = 0; j < uses_.size(); ++j) {
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

// Finds the axis about which each hinge bends further.
void Anatomy::find_hinges() {
  hinges_.resize(uses_.size());
  for (std::uint32_t j = 0; j < uses_.size(); ++j) {
    if (uses_[j].kind != JointKind::kHinge) continue;
    const glm::dvec3 before = arriving_[j].value_or(bones_[j]);
    const double at_rest = degrees_between(before, bones_[j]);
    if (at_rest >= kBentAtRest) hinges_[j] = unit(glm::cross(before, bones_[j]));
    const auto by_name = hinge_by_name(j);
    if (by_name && (!hinges_[j] || (at_rest < kClearlyBent && glm::dot(*by_name, *hinges_[j]) < 0))) {
      hinges_[j] = by_name;
    }
    if (!is_finger(uses_[j].role)) continue;
    const auto parent = skeleton_.parent_of(j);
    if (!parent || uses_[*parent].role != uses_[j].role) {
      hinges_[j].reset();
      continue;
    }
    std::optional<glm::dvec3>& above = hinges_[*parent];
    if (!above && uses_[*parent].kind == JointKind::kHinge) above = hinges_[j];
    // The bone of a finger's last joint is aimed at its skin, so its direction is inexact.
    const bool turned = above && hinges_[j] && at_rest < kClearlyBent && glm::dot(*above, *hinges_[j]) < 0;
    if (!hinges_[j] || turned) hinges_[j] = above;
  }
}

// Finds joints whose turns tear the skin: a part that continues it hangs elsewhere in the skeleton, as feet do that are
// targets of inverse kinematics and children of the root. A part is a joint with those below it. It continues the skin
// of joints below j, or that of j at the end of its bone; parts at its origin, as thighs at a spine, may stay. Twist
// and patch helpers do not count.
void Anatomy::find_torn() {
  const auto count = static_cast<std::uint32_t>(uses_.size());
  std::vector<std::vector<std::pair<std::uint32_t, double>>> shares(count);
  for (const auto& [pair, weight] : shared_) {
    shares[pair.first].emplace_back(pair.second, weight);
    shares[pair.second].emplace_back(pair.first, weight);
  }
  const auto helps = [&](std::uint32_t j) {
    return uses_[j].kind == JointKind::kTwist || uses_[j].kind == JointKind::kPatch;
  };
  tears_.assign(count, false);
  for (std::uint32_t part = 0; part < count; ++part) {
    if (helps(part)) continue;
    std::vector<bool> within(count, false), above(count, false);
    for (auto j = skeleton_.parent_of(part); j; j = skeleton_.parent_of(*j)) above[*j] = true;
    std::vector<double> shared(count, 0),
        below(count, 0);  // what the part shares with joints, and with those below them
    double all = 0;
    for (std::uint32_t j = part; j < count; ++j) {
      const auto parent = skeleton_.parent_of(j);
      within[j] = j == part || (parent && within[*parent]);
    }
    for (std::uint32_t j = part; j < count; ++j) {
      if (!within[j]) continue;
      for (const auto& [other, weight] : shares[j]) {
        if (within[other]) continue;
        shared[other] += weight;
        all += weight;
      }
    }
    if (all == 0) continue;
    for (std::uint32_t j = count; j-- > 0;) {
      if (const auto parent = skeleton_.parent_of(j)) below[*parent] += below[j] + shared[j];
    }
    // A joint's own skin counts as far as the part's joint shares it, at the end of the bone.
    for (const auto& [j, weight] : shares[part]) {
      if (glm::dot(places_[part] - places_[j], bones_[j]) > 0) below[j] += weight;
    }
    for (std::uint32_t j = 0; j < count; ++j) {
      if (!within[j] && !above[j] && !helps(j) && below[j] > kMostShared * all) tears_[j] = true;
    }
  }
}

std::optional<glm::dvec3> Anatomy::hinge_by_name(std::uint32_t j) const {
  const bool is_knee = uses_[j].role == JointRole::kShin;
  if (!is_knee && uses_[j].role != JointRole::kForearm) return std::nullopt;
  return unit(glm::cross(bones_[j], is_knee ? -front_ : front_));
}

std::array<Anatomy::Direction, 6> Anatomy::directions(std::uint32_t joint) const {
  const bool sided = uses_[joint].side != Side::kNone;
  const std::string_view out = sided ? "out" : "left", in = sided ? "in" : "right";
  const glm::dvec3 outward = uses_[joint].side == Side::kRight ? -left_ : left_;
  return {{{"front", front_}, {"back", -front_}, {"up", kUp}, {"down", -kUp}, {out, outward}, {in, -outward}}};
}

}  // namespace pelt
