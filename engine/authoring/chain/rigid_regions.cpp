// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/rigid_regions.h"

#include <algorithm>

#include <pelt/tools/joint_roles.h>

#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/tips.h"

namespace pelt::chain {
namespace {

constexpr double kStubby = 2;        // in skin distances: a shorter bone is a stub
constexpr double kThicker = 1.3;     // ratio to the bone before from which an end is a stub: a head on a neck
constexpr double kTurned = 0.7;      // cosine of the angle to the bone before below which an end is a stub: a foot
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
bool is_stub(const JointClusters& places, std::span<const std::vector<SkinPoint>> skin, std::size_t p) {
  const JointCluster& place = places.clusters[p];
  if (!place.children.empty() || !place.tip || place.parent == kNone) return false;
  const glm::dvec3 bone = *place.tip - place.position;
  const double length = glm::length(bone);
  if (!(length > 0)) return false;
  const double bone_thickness = thickness(skin[p], bone / length);
  if (length >= kStubby * bone_thickness) return false;
  const JointCluster& above = places.clusters[place.parent];
  if (above.link_count() > 2) return true;
  const glm::dvec3 before = glm::normalize(place.position - above.position);
  return glm::dot(before, bone / length) < kTurned || bone_thickness > kThicker * thickness(skin[place.parent], before);
}

}  // namespace

std::vector<std::uint32_t> rigid_regions(const Model& model, std::span<const std::uint32_t> meshes) {
  const std::vector<const Mesh*> skins = find_skins(model, meshes);
  const JointClusters places = find_joint_clusters(model, skins, matrices_at_bind(model, meshes));
  const std::vector<std::vector<SkinPoint>> skin = skin_of_places(model, skins, places);
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  std::vector<std::uint32_t> core(uses.size(), kNoRigidRegion);
  for (std::uint32_t p = 0; p < places.clusters.size(); ++p) {
    const JointCluster& place = places.clusters[p];
    const auto any = [&](const auto& says) {
      return std::ranges::any_of(place.joints, [&](std::uint32_t j) { return says(uses[j]); });
    };
    if (any([](const JointUse& use) { return use.kind == JointKind::kHinge; })) continue;
    const bool is_core = place.link_count() > 2 || is_stub(places, skin, p) ||
                         any([](const JointUse& use) { return is_stub_by_name(use.role); });
    if (!is_core) continue;
    for (const std::uint32_t j : place.joints) core[j] = p;
  }
  return core;
}

}  // namespace pelt::chain
