// SPDX-License-Identifier: MIT
#include <algorithm>
#include <glm/glm.hpp>
#include <iterator>
#include <optional>
#include <string>

#include <pelt/pose.h>
#include <pelt/tools/joint_roles.h>

#include "engine/model/skeleton_walk.h"

namespace pelt {
namespace {

enum class Sides { kNo, kYes, kEither };

struct RoleEntry {
  JointRole role;
  JointKind kind;
  Sides sides;  // whether names of its joints have a side
  std::string_view words;
};

// Names in Mixamo, HumanIK, 3ds Max Biped, Unreal, Rigify, VRM, DAZ, Character Creator, SMPL, and common ones.
constexpr RoleEntry kRoles[] = {
    {JointRole::kHips, JointKind::kBall, Sides::kNo, "hips hip pelvis"},
    {JointRole::kSpine, JointKind::kBall, Sides::kNo,
     "spine lowerspine upperspine spinelower spineupper torso abdomen abdomenlower abdomenupper belly waist back "
     "lowerback upperback"},
    {JointRole::kChest, JointKind::kBall, Sides::kNo,
     "chest chestlower chestupper lowerchest upperchest ribs ribcage thorax"},
    {JointRole::kNeck, JointKind::kBall, Sides::kNo, "neck necklower neckupper lowerneck upperneck"},
    {JointRole::kHead, JointKind::kBall, Sides::kNo, "head skull"},
    {JointRole::kClavicle, JointKind::kBall, Sides::kEither, "clavicle clav collar collarbone shoulder scapula"},
    {JointRole::kUpperArm, JointKind::kBall, Sides::kEither, "upperarm uparm arm shldr shldrbend humerus bicep"},
    {JointRole::kForearm, JointKind::kHinge, Sides::kEither, "forearm forearmbend lowerarm lowarm elbow"},
    {JointRole::kHand, JointKind::kBall, Sides::kEither, "hand wrist"},
    {JointRole::kThigh, JointKind::kBall, Sides::kEither, "thigh thighbend upleg upperleg hip femur"},
    {JointRole::kShin, JointKind::kHinge, Sides::kEither, "leg lowerleg lowleg shin calf knee tibia"},
    {JointRole::kHock, JointKind::kHinge, Sides::kYes, "hock metatarsus"},
    {JointRole::kFoot, JointKind::kBall, Sides::kEither, "foot ankle"},
    {JointRole::kToes, JointKind::kNone, Sides::kYes, "toe toes ball"},
    {JointRole::kThumb, JointKind::kHinge, Sides::kYes, "thumb handthumb thumbfinger fngthumb thumbmetacarpal"},
    {JointRole::kIndexMetacarpal, JointKind::kNone, Sides::kYes, "indexmetacarpal"},
    {JointRole::kIndex, JointKind::kHinge, Sides::kYes, "index handindex indexfinger fngindex"},
    {JointRole::kMiddleMetacarpal, JointKind::kNone, Sides::kYes, "middlemetacarpal"},
    {JointRole::kMiddle, JointKind::kHinge, Sides::kYes, "middle mid handmiddle middlefinger fngmiddle fngmid"},
    {JointRole::kRingMetacarpal, JointKind::kNone, Sides::kYes, "ringmetacarpal"},
    {JointRole::kRing, JointKind::kHinge, Sides::kYes, "ring handring ringfinger fngring"},
    {JointRole::kPinkyMetacarpal, JointKind::kNone, Sides::kYes, "pinkymetacarpal"},
    {JointRole::kPinky, JointKind::kHinge, Sides::kYes,
     "pinky pinkie little handpinky pinkyfinger littlefinger fngpinky"},
};

// Parts of a face of which a head has only a few.
constexpr std::string_view kFaceWords =
    "jaw jawroot lowerjaw mandible eye eyeball lid upperlid lowerlid lidupper lidlower eyelid uppereyelid lowereyelid "
    "eyelidupper eyelidlower brow eyebrow lip lips upperlip lowerlip liptop lipbottom mouth cheek tongue";

const RoleEntry* find_entry(JointRole role) {
  const auto found =
      std::find_if(std::begin(kRoles), std::end(kRoles), [&](const RoleEntry& entry) { return entry.role == role; });
  return found == std::end(kRoles) ? nullptr : found;
}

JointRole role_of(const JointName& name) {
  for (const RoleEntry& entry : kRoles) {
    const bool sided = name.side != Side::kNone;
    if (entry.sides != Sides::kEither && sided != (entry.sides == Sides::kYes)) continue;
    if (holds_word(entry.words, name.word)) return entry.role;
  }
  return JointRole::kNone;
}

bool is_limb(JointRole role) {
  return role == JointRole::kUpperArm || role == JointRole::kForearm || role == JointRole::kThigh ||
         role == JointRole::kShin;
}

bool says_twist(const JointName& name) {
  constexpr std::string_view kRoll = "roll";  // only at the start or end: a controller is no roll
  if (name.word.starts_with(kRoll) || name.word.ends_with(kRoll)) return true;
  if (name.word.find("twist") != std::string::npos) return true;
  constexpr std::string_view kMid = "mid";
  if (name.word.size() <= kMid.size() || !name.word.ends_with(kMid)) return false;
  const JointRole role = role_of({name.side, name.word.substr(0, name.word.size() - kMid.size())});
  return is_limb(role) || role == JointRole::kClavicle;
}

class Reader {
 public:
  explicit Reader(const Skeleton& skeleton)
      : skeleton_(skeleton),
        uses_(skeleton.joints.size()),
        children_(children_of_joints(skeleton)),
        names_(parse_joint_names(skeleton)),
        is_human_(skeleton.joints.size(), false) {
    std::vector<glm::mat4> rest(uses_.size());
    rest_matrices(skeleton, rest);
    for (const glm::mat4& matrix : rest) places_.emplace_back(matrix[3]);
    for (const HumanBone& bone : skeleton.human_bones) is_human_[bone.joint] = true;
  }

  std::vector<JointUse> read() {
    for (std::size_t j = 0; j < uses_.size(); ++j) uses_[j] = {names_[j].side, role_of(names_[j]), JointKind::kNone};
    const std::vector<JointUse> by_name = uses_;
    const auto has = [&](Side side, JointRole role) {
      return std::ranges::any_of(by_name, [&](const JointUse& use) { return use.side == side && use.role == role; });
    };
    // If a limb's upper half has two joints and its lower half none, the second joint is the lower half.
    const auto is_half = [&](const JointUse& use) {
      if (use.role == JointRole::kUpperArm) return has(use.side, JointRole::kForearm);
      return use.role != JointRole::kThigh || has(use.side, JointRole::kShin);
    };
    // Parents come first, so that the roles above are decided.
    const std::vector<bool> is_patch = patch_joints(skeleton_);
    for (std::size_t j = 0; j < uses_.size(); ++j) {
      JointUse& use = uses_[j];
      if (names_[j].word == "leg" && !above(j, JointRole::kThigh)) use.role = JointRole::kThigh;
      if (names_[j].word == "shoulder" && !has(use.side, JointRole::kUpperArm)) use.role = JointRole::kUpperArm;
      const RoleEntry* entry = find_entry(use.role);
      use.kind = is_patch[j] ? JointKind::kPatch : entry == nullptr ? JointKind::kNone : entry->kind;
      if (says_twist(names_[j])) use = {use.side, JointRole::kNone, JointKind::kTwist};
      if (!is_human_[j] && is_limb(use.role) && is_half(use) && goes_on_straight(j)) use.kind = JointKind::kTwist;
    }
    return uses_;
  }

 private:
  // Returns the nearest joint above `j` that has the same side and the role.
  std::optional<std::uint32_t> above(std::size_t j, JointRole role) const {
    return find_above(skeleton_, j,
                      [&](std::uint32_t p) { return uses_[p].side == uses_[j].side && uses_[p].role == role; });
  }

  bool goes_on_straight(std::size_t j) const {
    constexpr double kInLine = 0.9962;  // cosine of 5 degrees
    const std::optional<std::uint32_t> start = above(j, uses_[j].role);
    if (!start) return false;
    bool has_bone = false;
    for (const std::uint32_t c : children_[j]) {
      const glm::dvec3 before = places_[j] - places_[*start], after = places_[c] - places_[j];
      const double lengths = glm::length(before) * glm::length(after);
      if (lengths == 0) continue;
      if (glm::dot(before, after) >= kInLine * lengths) return true;
      has_bone = true;
    }
    return !has_bone;
  }

  const Skeleton& skeleton_;
  std::vector<JointUse> uses_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<JointName> names_;
  std::vector<bool> is_human_;      // the file says what it is
  std::vector<glm::dvec3> places_;  // in the rest pose, model space
};

}  // namespace

std::string_view role_words(JointRole role) {
  const RoleEntry* entry = find_entry(role);
  return entry == nullptr ? std::string_view() : entry->words;
}

std::vector<bool> patch_joints(const Skeleton& skeleton) {
  constexpr std::uint32_t kCrowd = 8;
  const std::size_t count = skeleton.joints.size();
  std::vector<std::uint32_t> height(count, 0);  // levels of joints below
  std::vector<std::uint32_t> childless(count, 0);
  for (std::size_t j = count; j-- > 0;) {
    if (const auto parent = skeleton.parent_of(j)) {
      height[*parent] = std::max(height[*parent], height[j] + 1);
      if (height[j] == 0) ++childless[*parent];
    }
  }
  const std::vector<JointName> names = parse_joint_names(skeleton);
  std::vector<bool> is_patch(count, false), on_head(count, false);
  for (std::size_t j = 0; j < count; ++j) {
    const JointRole role = role_of(names[j]);
    const auto parent = skeleton.parent_of(j);
    on_head[j] = role == JointRole::kHead || role == JointRole::kNeck || (parent && on_head[*parent]);
    if (!parent) continue;
    const bool in_crowd = childless[*parent] >= kCrowd && (height[j] <= 1 || childless[j] >= kCrowd);
    is_patch[j] = is_patch[*parent] || in_crowd || (on_head[*parent] && holds_word(kFaceWords, names[j].word));
  }
  return is_patch;
}

std::vector<JointUse> joint_uses(const Skeleton& skeleton) { return Reader(skeleton).read(); }

}  // namespace pelt
