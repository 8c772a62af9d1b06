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
constexpr float kMixed = 0.25f;      // weight on each side of a junction from which a vertex spans it wholly
constexpr double kPercentile = 0.9;  // the thickness is this quantile of the skin's distances

bool is_stub_by_name(JointRole role) {
  return role == JointRole::kHead || role == JointRole::kHand || role == JointRole::kFoot || role == JointRole::kToes;
}

// Returns the distance, in metres, from the line through a joint along `bone`, a unit vector, to the skin that mostly
// follows the joint.
double thickness(std::span<const SkinPoint> skin, const glm::dvec3& bone) {
  std::vector<double> distances;
  for (const SkinPoint& point : skin) {
    if (point.weight >= 0.5) distances.push_back(glm::length(point.offset - bone * glm::dot(point.offset, bone)));
  }
  if (distances.empty()) return 0;
  const auto at =
      distances.begin() + static_cast<std::ptrdiff_t>(kPercentile * static_cast<double>(distances.size() - 1));
  std::ranges::nth_element(distances, at);
  return *at;
}

// Returns true if the end of a limb is about as short as it is thick. An end that only continues its limb, as thick as
// before and in the same direction, does not count.
bool is_stub(const JointClusters& tree, std::span<const std::vector<SkinPoint>> skin, std::size_t p) {
  const JointCluster& cluster = tree.clusters[p];
  if (!cluster.children.empty() || !cluster.tip || cluster.parent == kNone) return false;
  const glm::dvec3 bone = *cluster.tip - cluster.position;
  const double length = glm::length(bone);
  if (!(length > 0)) return false;
  const double bone_thickness = thickness(skin[p], bone / length);
  if (length >= kStubby * bone_thickness) return false;
  const JointCluster& above = tree.clusters[cluster.parent];
  if (above.link_count() > 2) return true;
  const glm::dvec3 before = glm::normalize(cluster.position - above.position);
  return glm::dot(before, bone / length) < kTurned ||
         bone_thickness > kThicker * thickness(skin[cluster.parent], before);
}

}  // namespace

float Junctions::share(std::span<const Influence> weights) const {
  float most = 0;
  for (const std::vector<bool>& below : beyond) {
    float sum = 0;
    for (const Influence& influence : weights) sum += below[influence.index] ? influence.weight : 0.0f;
    most = std::max(most, glm::smoothstep(0.0f, kMixed, std::min(sum, 1 - sum)));
  }
  return most;
}

Junctions find_junctions(const Model& model, std::span<const std::uint32_t> meshes) {
  const std::vector<const Mesh*> skins = find_skins(model, meshes);
  const JointClusters tree = find_joint_clusters(model, skins, matrices_at_bind(model, meshes));
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  Junctions result;
  const bool self = getenv("PELT_SELF") != nullptr;
  for (std::uint32_t p = 0; p < tree.clusters.size(); ++p) {
    const JointCluster& cluster = tree.clusters[p];
    if (cluster.joints.empty()) continue;
    const JointUse& use = uses[cluster.lowest];
    const bool at_branch = cluster.parent != kNone && tree.clusters[cluster.parent].link_count() > 2;
    const bool is_root = (use.role == JointRole::kUpperArm || use.role == JointRole::kThigh) && use.kind == JointKind::kBall;
    const bool is_branch = self && cluster.parent != kNone && cluster.link_count() > 2 && use.role != JointRole::kHand;
    if (at_branch || is_root || is_branch) result.beyond.push_back(bound_at_or_below(model, cluster.joints.front()));
  }
  return result;
}

std::vector<std::uint32_t> rigid_regions(const Model& model, std::span<const std::uint32_t> meshes) {
  const std::vector<const Mesh*> skins = find_skins(model, meshes);
  const JointClusters tree = find_joint_clusters(model, skins, matrices_at_bind(model, meshes));
  const std::vector<std::vector<SkinPoint>> skin = skin_of_clusters(model, skins, tree);
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  std::vector<std::uint32_t> region(uses.size(), kNoRigidRegion);
  for (std::uint32_t p = 0; p < tree.clusters.size(); ++p) {
    const JointCluster& cluster = tree.clusters[p];
    const auto any = [&](const auto& says) {
      return std::ranges::any_of(cluster.joints, [&](std::uint32_t j) { return says(uses[j]); });
    };
    if (any([](const JointUse& use) { return use.kind == JointKind::kHinge; })) continue;
    const bool is_region = cluster.link_count() > 2 || is_stub(tree, skin, p) ||
                           any([](const JointUse& use) { return is_stub_by_name(use.role); });
    if (!is_region) continue;
    for (const std::uint32_t j : cluster.joints) region[j] = p;
  }
  return region;
}

}  // namespace pelt::chain
