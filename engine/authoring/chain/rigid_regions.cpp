// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/rigid_regions.h"

#include <algorithm>

#include <pelt/tools/joint_roles.h>

#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/tips.h"
#include "engine/authoring/geometry/bone_forest.h"

namespace pelt::chain {
namespace {

constexpr double kStubby = 2;        // in skin distances: a shorter bone is a stub
constexpr double kThicker = 1.3;     // ratio to the bone before from which an end is a stub: a head on a neck
constexpr double kTurned = 0.7;      // cosine of the angle to the bone before below which an end is a stub: a foot
constexpr float kMixed = 1 / 6.0f;   // weight on each side of a joint from which a vertex spans it wholly
constexpr double kPercentile = 0.9;  // the thickness is this quantile of the skin's distances

bool is_stub_by_name(JointRole role) {
  return role == JointRole::kHead || role == JointRole::kHand || role == JointRole::kFoot || role == JointRole::kToes;
}

double quantile(std::vector<double>& values, double fraction) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

// Returns the distance, in metres, from the line through a joint along `bone`, a unit vector, to the skin that mostly
// follows the joint.
double thickness(std::span<const SkinPoint> skin, const glm::dvec3& bone) {
  std::vector<double> distances;
  for (const SkinPoint& point : skin) {
    if (point.weight >= 0.5) distances.push_back(glm::length(point.offset - bone * glm::dot(point.offset, bone)));
  }
  return distances.empty() ? 0 : quantile(distances, kPercentile);
}

enum class Stub { kNone, kPlain, kLump };

// Returns whether the end of a limb is about as short as it is thick, and much thicker than the bone before. An end
// that only continues its limb, as thick as before and in the same direction, does not count.
Stub stub_at(const JointClusters& tree, std::span<const std::vector<SkinPoint>> skin, std::size_t p) {
  const JointCluster& cluster = tree.clusters[p];
  if (!cluster.children.empty() || !cluster.tip || cluster.parent == kNone) return Stub::kNone;
  const glm::dvec3 bone = *cluster.tip - cluster.position;
  const double length = glm::length(bone);
  if (!(length > 0)) return Stub::kNone;
  const double bone_thickness = thickness(skin[p], bone / length);
  if (length >= kStubby * bone_thickness) return Stub::kNone;
  const JointCluster& above = tree.clusters[cluster.parent];
  const glm::dvec3 before = glm::normalize(cluster.position - above.position);
  if (bone_thickness > kThicker * thickness(skin[cluster.parent], before)) return Stub::kLump;
  return above.link_count() > 2 || glm::dot(before, bone / length) < kTurned ? Stub::kPlain : Stub::kNone;
}

// Returns true if the bone from `start` to a joint is short for the skin along it, or has none, as in a haunch: a limb
// in the trunk. If little skin mostly follows such a bone, the median of all that its joints and twist helpers move
// counts; it leaves out the trunk.
bool ends_a_stub(const JointClusters& tree, std::span<const std::vector<SkinPoint>> skin, std::uint32_t start,
                 std::uint32_t p) {
  const glm::dvec3 bone = tree.clusters[p].position - tree.clusters[start].position;
  const double length = glm::length(bone);
  std::vector<double> distances;
  for (std::uint32_t q = p;; q = tree.clusters[q].parent) {
    for (const SkinPoint& point : skin[q]) {
      const glm::dvec3 offset = tree.clusters[q].position + point.offset - tree.clusters[start].position;
      const double along = glm::dot(offset, bone) / length;
      if (along >= 0 && along <= length) distances.push_back(glm::length(offset - bone * (along / length)));
    }
    if (q == start) break;
  }
  return distances.empty() ||
         length < kStubby * std::max(quantile(distances, 0.5), thickness(skin[start], bone / length));
}

}  // namespace

float RigidRegions::spanning(std::span<const Influence> weights) const {
  float most = 0;
  for (const std::vector<bool>& marked : beyond) {
    float sum = 0;
    for (const Influence& influence : weights) sum += marked[influence.index] ? influence.weight : 0.0f;
    most = std::max(most, glm::smoothstep(0.0f, kMixed, std::min(sum, 1 - sum)));
  }
  return most;
}

RigidRegions rigid_regions(const Model& model, std::span<const std::uint32_t> meshes) {
  const std::vector<const Mesh*> skins = find_skins(model, meshes);
  const JointClusters tree = find_joint_clusters(model, skins, matrices_at_bind(model, meshes));
  const std::vector<std::vector<SkinPoint>> skin = skin_of_clusters(model, skins, tree);
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  const std::vector<bool> is_patch = patch_joints(model.skeleton);
  std::vector<bool> carries_face(uses.size(), false);
  for (std::size_t j = 0; j < uses.size(); ++j) {
    if (is_patch[j] && !is_patch[*model.skeleton.parent_of(j)]) carries_face[*model.skeleton.parent_of(j)] = true;
  }
  const auto is_branch = [&](std::uint32_t p) { return p != kNone && tree.clusters[p].link_count() > 2; };
  RigidRegions result{.of_joint = std::vector<std::uint32_t>(uses.size(), kNoRigidRegion),
                      .is_head = std::vector<bool>(uses.size(), false),
                      .beyond = {}};
  const auto is_helper = [&](std::uint32_t p) {
    return std::ranges::all_of(tree.clusters[p].joints, [&](auto j) { return uses[j].kind == JointKind::kTwist; });
  };
  std::vector<bool> of_trunk(tree.clusters.size(), false);
  std::vector<std::uint32_t> order;  // parents first: those of twist helpers and roots may have larger indices
  for (std::uint32_t p = 0; p < tree.clusters.size(); ++p) {
    if (tree.clusters[p].parent == kNone) order.push_back(p);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t p = order[i];
    const JointCluster& cluster = tree.clusters[p];
    order.insert(order.end(), cluster.children.begin(), cluster.children.end());
    std::uint32_t start = cluster.parent;  // of the bone to the joint
    while (start != kNone && is_helper(start)) start = tree.clusters[start].parent;
    const auto any = [&](const auto& says) { return std::ranges::any_of(cluster.joints, says); };
    const auto has_role = [&](JointRole role) {
      return any([&](std::uint32_t j) { return uses[j].role == role && uses[j].kind == JointKind::kBall; });
    };
    const auto bends = [&](std::uint32_t j) {  // as part of a limb, but not as an elbow, a knee or a finger
      return uses[j].side != Side::kNone && uses[j].kind != JointKind::kHinge && uses[j].kind != JointKind::kTwist;
    };
    // Skin passes over a joint between curves of several directions. Limbs go on from it as haunches, but ears do not.
    const bool is_trunk = is_branch(cluster.parent) || (is_branch(p) && !has_role(JointRole::kHand)) ||
                          has_role(JointRole::kUpperArm) || has_role(JointRole::kThigh) ||
                          (start != kNone && of_trunk[start] && any(bends) && ends_a_stub(tree, skin, start, p));
    of_trunk[p] = is_trunk && !(start != kNone && result.is_head[tree.clusters[start].lowest]);
    if (is_trunk && cluster.parent != kNone && !cluster.joints.empty()) {
      result.beyond.push_back(bound_at_or_below(model, cluster.joints.front()));
    }
    if (any([&](std::uint32_t j) { return uses[j].kind == JointKind::kHinge; })) continue;
    const Stub stub = stub_at(tree, skin, p);
    const bool is_head =
        stub == Stub::kLump || has_role(JointRole::kHead) || any([&](std::uint32_t j) { return carries_face[j]; });
    const bool is_region = is_head || stub != Stub::kNone || is_branch(p) ||
                           any([&](std::uint32_t j) { return is_stub_by_name(uses[j].role); });
    if (!is_region) continue;
    for (const std::uint32_t j : cluster.joints) {
      result.of_joint[j] = p;
      result.is_head[j] = is_head;
    }
  }
  return result;
}

}  // namespace pelt::chain
