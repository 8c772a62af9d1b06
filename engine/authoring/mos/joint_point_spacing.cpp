// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/joint_point_spacing.h"

#include <algorithm>
#include <cmath>

#include "engine/authoring/chain/passages.h"

namespace pelt::mos {

using chain::Chain;
using chain::Curve;
using chain::Linkage;

namespace {

// Points about a joint; kJointFraction is the fraction of the shorter bone that they occupy.
constexpr std::uint32_t kPointsByBone = 3;
constexpr float kJointFraction = 0.6f;
constexpr std::uint32_t kPointsBySkin = 5;
// Keeps the volume of a bent limb.
struct Fit {
  float step;     // between two of them, in skin thicknesses
  float outward;  // slide, over their reach
};
constexpr Fit kRound{0.45f, 0.15f}, kPlain{0.8f, 0.2f};  // points of B-splines turn about the joint too
constexpr float kMaxUneven = 2;                          // largest ratio of their distances on the two sides of a joint

}  // namespace

bool is_inner(const Chain& chain, std::size_t i) { return i > 0 && i + 1 < chain.anchors.size() && i != chain.top; }

glm::vec2 between_joints(const Curve& curve, std::span<const JointPoints> about, std::size_t bone) {
  const glm::vec2 whole(curve.lengths[bone], curve.lengths[bone + 1]);
  glm::vec2 free = whole;
  const auto leave = [&](std::size_t i) {
    if (i <= bone) free.x = std::max(free.x, curve.lengths[i] + about[i].reach(1));
    if (i > bone) free.y = std::min(free.y, curve.lengths[i] - about[i].reach(0));
  };
  for (std::size_t i = 0; i < about.size(); ++i) {
    if (about[i].by_skin) leave(i);
  }
  for (const std::size_t end : {bone, bone + 1}) {
    if (free != whole) leave(end);
  }
  if (about[bone].even && about[bone + 1].even) free.y = free.x;
  return free;
}

JointPointSpacing::JointPointSpacing(const MosParameters& parameters, const Skeleton& skeleton,
                                     std::span<const chain::JointLinkage> linkages)
    : parameters_(parameters), uses_(joint_uses(skeleton)) {
  for (const chain::JointLinkage& joint : linkages) {
    const bool on_one_line = joint.linkage == Linkage::kEnd || joint.linkage == Linkage::kTwo;
    if (!on_one_line) hubs_.insert(joint.joint);
  }
}

// Spreads the points over a fraction of the shorter bone, between the points of the bones.
JointPoints JointPointSpacing::space_by_bone(const Curve& curve, std::size_t i) const {
  JointPoints points{parameters_.points_per_joint.value_or(kPointsByBone)};
  const float shorter = std::min(curve.bone_length(i - 1), curve.bone_length(i));
  const float room = (parameters_.points_per_bone > 1 ? 1 - parameters_.bone_fraction : 1.0f) * shorter;
  const float asked =
      parameters_.joint_fraction.value_or(kJointFraction) * shorter / static_cast<float>(points.count + 1);
  if (points.count > 1) points.step = glm::vec2(std::min(asked, room / static_cast<float>(points.count - 1)));
  return points;
}

// Puts points at a quarter of each bone: all are equally far apart and turn equally. They slide outward, so that the
// spline through them is as long as the bones.
JointPoints JointPointSpacing::space_evenly(const Curve& curve, std::size_t i) const {
  const glm::vec2 bones(curve.bone_length(i - 1), curve.bone_length(i));
  return {.count = 2, .step = 0.5f * bones, .outward = std::min(bones.x, bones.y) / 8, .by_skin = true, .even = true};
}

// Spreads the points by the thickness of the limb, if the bones have room for them and for a step beyond the last ones.
// A bend stretches the outside of a limb and crowds its inside, the more the thicker it is. The points slide outward,
// since the spline through them cuts the corner.
JointPoints JointPointSpacing::space_by_skin(const Curve& curve, std::size_t i, float thickness) const {
  JointPoints points{parameters_.points_per_joint.value_or(kPointsBySkin)};
  const bool round = parameters_.strategy == MosStrategy::kBSpline;
  points.around = round ? 1.0f : 0.0f;
  const Fit& fit = round ? kRound : kPlain;
  const auto room = [&](int side) {
    const Way way = way_beside(curve, i, side);
    const float free = std::max(way.length - 0.5f * thickness, 0.25f * way.length);  // without the round ends
    return is_bent(curve.chain, way.anchor) ? 0.5f * free : free;  // the joint there has the other half
  };
  const glm::vec2 most = glm::vec2(room(0), room(1)) / (0.5f * static_cast<float>(points.count) + 0.5f);
  const glm::vec2 wide = glm::min(glm::vec2(fit.step * thickness), most);
  points.step = glm::min(wide, kMaxUneven * glm::vec2(wide.y, wide.x));
  points.outward = fit.outward * std::min(points.reach(0), points.reach(1));
  points.by_skin = true;
  return points;
}

// Returns true if there are points about the anchor. A twist helper has none, since it only twists.
bool JointPointSpacing::is_bent(const Chain& chain, std::size_t i) const {
  return is_inner(chain, i) && uses_[chain.anchors[i].joint].kind != JointKind::kTwist;
}

JointPointSpacing::Way JointPointSpacing::way_beside(const Curve& curve, std::size_t i, int side) const {
  const auto next = [&](std::size_t a) { return side == 0 ? a - 1 : a + 1; };
  std::size_t anchor = next(i);
  if (is_inner(curve.chain, anchor) && !is_bent(curve.chain, anchor)) anchor = next(anchor);
  return {anchor, std::abs(curve.lengths[anchor] - curve.lengths[i])};
}

// Returns true if anchor i or the one next to it towards the top is a hub. Several chains move the skin there, and
// their points would part if each slid by its own bend.
bool JointPointSpacing::is_near_hub(const Curve& curve, std::size_t i) const {
  const auto is_hub = [&](std::size_t anchor) { return hubs_.contains(curve.chain.anchors[anchor].joint); };
  return is_hub(i) || is_hub(way_beside(curve, i, i > curve.chain.top ? 0 : 1).anchor);
}

std::vector<JointPoints> JointPointSpacing::points_of(const Curve& curve) const {
  std::vector<JointPoints> points(curve.chain.anchors.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_bent(curve.chain, i)) continue;
    const float thickness = curve.anchors[i].skin_distance;
    const bool is_free = !parameters_.joint_fraction && !is_near_hub(curve, i);
    const bool evenly = is_free && !parameters_.points_per_joint && chain::bends_meet(curve, i, uses_);
    points[i] = evenly                     ? space_evenly(curve, i)
                : thickness > 0 && is_free ? space_by_skin(curve, i, thickness)
                                           : space_by_bone(curve, i);
  }
  return points;
}

}  // namespace pelt::mos
