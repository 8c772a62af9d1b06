// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <glm/glm.hpp>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>

#include <pelt/pose.h>
#include <pelt/tools/joint_roles.h>

#include "engine/authoring/geometry/bounds.h"
#include "engine/character/model/skeleton_walk.h"

namespace pelt {
namespace {

enum class Sides { kNo, kYes, kEither };

struct RoleEntry {
  JointRole role;
  JointKind kind;
  Sides sides;  // whether names of its joints have a side
  std::string_view words;
};

// Names in Mixamo, HumanIK, 3ds Max Biped, Unreal, Rigify, VRM, DAZ, Character Creator, SMPL, MikuMikuDance, Meta's
// avatars, Auto-Rig Pro, AdvancedSkeleton, and common ones.
constexpr RoleEntry kRoles[] = {
    {JointRole::kHips, JointKind::kBall, Sides::kNo, "hips hip pelvis roothip lowerbody center"},
    {JointRole::kSpine, JointKind::kBall, Sides::kNo,
     "spine lowerspine upperspine spinelower spineupper torso abdomen abdomenlower abdomenupper belly waist back "
     "lowerback upperback upperbody spinemiddle"},
    {JointRole::kChest, JointKind::kBall, Sides::kNo,
     "chest chestlower chestupper lowerchest upperchest ribs ribcage thorax"},
    {JointRole::kNeck, JointKind::kBall, Sides::kNo, "neck necklower neckupper lowerneck upperneck"},
    {JointRole::kHead, JointKind::kBall, Sides::kNo, "head skull"},
    {JointRole::kClavicle, JointKind::kBall, Sides::kEither, "clavicle clav collar collarbone shoulder scapula"},
    {JointRole::kUpperArm, JointKind::kBall, Sides::kEither,
     "upperarm uparm arm shldr shldrbend humerus bicep armupper"},
    {JointRole::kForearm, JointKind::kHinge, Sides::kEither, "forearm forearmbend lowerarm lowarm armlower elbow"},
    {JointRole::kHand, JointKind::kBall, Sides::kEither, "hand wrist handwrist"},
    {JointRole::kThigh, JointKind::kBall, Sides::kEither, "thigh thighbend upleg upperleg hip femur legupper"},
    {JointRole::kShin, JointKind::kHinge, Sides::kEither, "leg lowerleg lowleg leglower shin calf knee tibia"},
    {JointRole::kHock, JointKind::kHinge, Sides::kYes, "hock metatarsus"},
    {JointRole::kFoot, JointKind::kBall, Sides::kEither, "foot ankle footankle"},
    {JointRole::kToes, JointKind::kNone, Sides::kYes, "toe toes ball football foottoe toetip toeex legtipex"},
    {JointRole::kThumb, JointKind::kHinge, Sides::kYes,
     "thumb handthumb thumbfinger fngthumb thumbmetacarpal handthumbtrapezium handthumbmeta"},
    {JointRole::kIndexMetacarpal, JointKind::kNone, Sides::kYes, "indexmetacarpal handindexmeta"},
    {JointRole::kIndex, JointKind::kHinge, Sides::kYes, "index handindex indexfinger fngindex fore handpointer"},
    {JointRole::kMiddleMetacarpal, JointKind::kNone, Sides::kYes, "middlemetacarpal handmiddlemeta"},
    {JointRole::kMiddle, JointKind::kHinge, Sides::kYes, "middle mid handmiddle middlefinger fngmiddle fngmid"},
    {JointRole::kRingMetacarpal, JointKind::kNone, Sides::kYes, "ringmetacarpal handringmeta"},
    {JointRole::kRing, JointKind::kHinge, Sides::kYes, "ring handring ringfinger fngring third"},
    {JointRole::kPinkyMetacarpal, JointKind::kNone, Sides::kYes, "pinkymetacarpal handpinkymeta"},
    {JointRole::kPinky, JointKind::kHinge, Sides::kYes,
     "pinky pinkie little handpinky pinkyfinger littlefinger fngpinky"},
};

// Parts of a face, of which a head has only a few.
constexpr std::string_view kFaceWords =
    "jaw jawroot lowerjaw mandible eye eyeball lid upperlid lowerlid lidupper lidlower eyelid uppereyelid lowereyelid "
    "eyelidupper eyelidlower brow eyebrow lip lips upperlip lowerlip liptop lipbottom mouth cheek tongue";

// Words at the start or end of facial joints' names (cheekUp, underEye, cornerLip). They only count in crowds, since
// "clip" ends like a lip.
constexpr std::string_view kFaceParts[] = {"jaw",       "eye",        "lid",    "lash",  "brow",    "lip",    "lips",
                                           "mouth",     "cheek",      "tongue", "nose",  "nostril", "nasal",  "chin",
                                           "teeth",     "forehead",   "temple", "smile", "sneer",   "squint", "dimple",
                                           "zygomatic", "nasolabial", "face",   "facial"};

// Returns the part of a face in a name; empty if none.
std::string_view face_part(const JointName& name) {
  const auto found = std::ranges::find_if(
      kFaceParts, [&](std::string_view part) { return name.word.starts_with(part) || name.word.ends_with(part); });
  return found == std::end(kFaceParts) ? std::string_view() : *found;
}

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
  return std::ranges::any_of(std::array<std::string_view, 2>{"mid", "part"}, [&](std::string_view end) {
    if (!name.word.ends_with(end)) return false;
    const JointRole role = role_of({name.side, name.word.substr(0, name.word.size() - end.size())});
    return is_limb(role) || role == JointRole::kClavicle;
  });
}

// Returns the positions of joints in the rest pose, model space.
std::vector<glm::dvec3> rest_places(const Skeleton& skeleton) {
  std::vector<glm::mat4> rest(skeleton.joints.size());
  rest_matrices(skeleton, rest);
  std::vector<glm::dvec3> places;
  for (const glm::mat4& matrix : rest) places.emplace_back(matrix[3]);
  return places;
}

class Reader {
 public:
  explicit Reader(const Skeleton& skeleton)
      : skeleton_(skeleton),
        uses_(skeleton.joints.size()),
        children_(children_of_joints(skeleton)),
        names_(parse_joint_names(skeleton)),
        is_human_(skeleton.joints.size(), false),
        places_(rest_places(skeleton)) {
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
    // Parents come first, so their roles are known.
    const std::vector<bool> is_patch = patch_joints(skeleton_);
    for (std::size_t j = 0; j < uses_.size(); ++j) {
      JointUse& use = uses_[j];
      if (names_[j].word == "leg" && !above(j, JointRole::kThigh)) use.role = JointRole::kThigh;
      // Some rigs give all joints of a limb one name, and count them.
      const bool begins = !above(j, use.role);
      if (names_[j].word == "leg" && !begins && !has(use.side, JointRole::kFoot)) use.role = JointRole::kFoot;
      if (names_[j].word == "arm" && !begins && !has(use.side, JointRole::kForearm)) use.role = JointRole::kForearm;
      if (names_[j].word == "arm" && above(j, JointRole::kForearm)) use.role = JointRole::kHand;
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
  std::vector<bool> is_human_;      // the file maps it to a human bone
  std::vector<glm::dvec3> places_;  // in the rest pose, model space
};

constexpr std::ptrdiff_t kCrowd = 8;  // childless children that may be a face

// The joints below each joint, and the positions of joints in the rest pose, model space.
struct Tree {
  explicit Tree(const Skeleton& skeleton)
      : children(children_of_joints(skeleton)), height(children.size(), 0), places(rest_places(skeleton)) {
    for (std::size_t j = height.size(); j-- > 0;) {
      if (const auto parent = skeleton.parent_of(j)) height[*parent] = std::max(height[*parent], height[j] + 1);
    }
    for (const glm::dvec3& place : places) bounds.add(place);
  }

  std::vector<std::uint32_t> crowd_of(std::size_t j) const {
    std::vector<std::uint32_t> crowd;
    std::ranges::copy_if(children[j], std::back_inserter(crowd), [&](std::uint32_t c) { return height[c] == 0; });
    return crowd;
  }
  bool has_crowd(std::size_t j) const {
    return std::ranges::count_if(children[j], [&](std::uint32_t c) { return height[c] == 0; }) >= kCrowd;
  }

  std::vector<std::vector<std::uint32_t>> children;
  std::vector<std::uint32_t> height;  // levels of joints below
  std::vector<glm::dvec3> places;
  Bounds<glm::dvec3> bounds;  // of the positions
};

// Returns true if a name has a role, including hips and head, or is that of a finger.
bool names_a_known_part(const JointName& name) {
  constexpr std::string_view kParts[] = {"finger", "thumb", "phalanx", "metacarpal"};
  return role_of(name) != JointRole::kNone ||
         std::ranges::any_of(kParts, [&](std::string_view part) { return name.word.find(part) != std::string::npos; });
}

// Returns true if joints are arranged like those of a face, whatever their names, unless one of them or the joint that
// carries them names a known part: near each other, and on both sides of a plane through that joint, normal to an axis
// of the model, each with its mirror image. The fingers of a flat hand are not: they are as long as the hand, and a
// thumb has no partner.
bool stands_as_face(std::size_t bearer, std::span<const std::uint32_t> crowd, std::span<const JointName> names,
                    const Tree& tree) {
  constexpr double kMaxExtent = 0.25;      // relative to the skeleton's
  constexpr double kAsFar = 0.05;          // tolerance of mirror images, relative to the extent of the crowd
  constexpr std::size_t kMaxJoints = 256;  // bounds work that grows with the square of a file's number
  if (crowd.size() > kMaxJoints) return false;
  const auto is_known = [&](std::uint32_t c) { return names_a_known_part(names[c]); };
  if (names_a_known_part(names[bearer]) || std::ranges::any_of(crowd, is_known)) return false;
  Bounds<glm::dvec3> own;
  for (const std::uint32_t c : crowd) own.add(tree.places[c]);
  const double extent = glm::length(own.size());
  if (!(extent <= kMaxExtent * glm::length(tree.bounds.size()))) return false;
  for (int axis = 0; axis < 3; ++axis) {
    const auto has_partner = [&](std::uint32_t c) {
      glm::dvec3 image = tree.places[c];
      image[axis] = 2 * tree.places[bearer][axis] - image[axis];
      return glm::distance(image, tree.places[c]) > 2 * kAsFar * extent &&
             std::ranges::any_of(crowd, [&](std::uint32_t other) {
               return glm::distance(image, tree.places[other]) <= kAsFar * extent;
             });
    };
    // The others may lie in the plane, like those of a nose and a chin.
    const auto partners = static_cast<std::size_t>(std::ranges::count_if(crowd, has_partner));
    if (2 * partners >= crowd.size()) return true;
  }
  return false;
}

}  // namespace

std::string_view role_words(JointRole role) {
  const RoleEntry* entry = find_entry(role);
  return entry == nullptr ? std::string_view() : entry->words;
}

std::vector<bool> patch_joints(const Skeleton& skeleton) {
  const std::size_t count = skeleton.joints.size();
  const Tree tree(skeleton);
  const std::vector<JointName> names = parse_joint_names(skeleton);
  // For each joint, whether its crowd is a face by position, or only its joints named as parts of one are.
  std::vector<bool> is_face(count, false), is_named_face(count, false);
  std::vector<bool> is_patch(count, false), on_head(count, false);
  for (std::size_t j = 0; j < count; ++j) {
    const JointRole role = role_of(names[j]);
    const auto parent = skeleton.parent_of(j);
    on_head[j] = role == JointRole::kHead || role == JointRole::kNeck || (parent && on_head[*parent]);
    if (tree.has_crowd(j)) {
      const std::vector<std::uint32_t> crowd = tree.crowd_of(j);
      std::set<std::string_view> parts;
      std::ptrdiff_t named = 0, longer = 0;
      for (const std::uint32_t c : crowd) {
        const std::string_view part = face_part(names[c]);
        if (part.empty()) continue;
        parts.insert(part);
        ++named;
        if (names[c].word != part && !holds_word(kFaceWords, names[c].word)) ++longer;
      }
      is_named_face[j] = named >= kCrowd && parts.size() > 1;
      // Eyelets and surfaces name a single part many times, within a longer word.
      const bool is_other = longer >= kCrowd && parts.size() == 1;
      is_face[j] = on_head[j] || (!is_other && stands_as_face(j, crowd, names, tree));
    }
    if (!parent) continue;
    const bool is_part = !face_part(names[j]).empty();
    const bool in_crowd = (is_face[*parent] && (tree.height[j] == 0 || is_part || tree.has_crowd(j))) ||
                          (is_named_face[*parent] && is_part);
    const bool is_one = on_head[*parent] && holds_word(kFaceWords, names[j].word);
    is_patch[j] = is_patch[*parent] || (in_crowd && (tree.height[j] <= 1 || tree.has_crowd(j))) || is_one;
  }
  return is_patch;
}

std::vector<JointUse> joint_uses(const Skeleton& skeleton) { return Reader(skeleton).read(); }

}  // namespace pelt
