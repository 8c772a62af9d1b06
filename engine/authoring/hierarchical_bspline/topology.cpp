// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/topology.h"

#include <algorithm>

#include "shaders/hierarchical_bspline/frame_pose.h"

namespace pelt::hierarchical_bspline {
namespace {

// A plane at bind is well clear of the threshold of a collapsed one in a pose.
constexpr double kFlat = 4 * double{shared::kCollapsedPlane} * double{shared::kCollapsedPlane};

}  // namespace

bool SurfacePoint::has_frame() const {
  const glm::dvec3 normal = glm::cross(tangent_u, tangent_v);
  const double longer = std::max(glm::dot(tangent_u, tangent_u), glm::dot(tangent_v, tangent_v));
  return glm::dot(normal, normal) > kFlat * longer * longer;
}

glm::dmat3 SurfacePoint::axes() const {
  const glm::dvec3 along = glm::normalize(tangent_u);
  const glm::dvec3 normal = glm::normalize(glm::cross(tangent_u, tangent_v));
  return {along, glm::cross(normal, along), normal};
}

bool has_frame(std::span<const Share> shares, std::span<const glm::dvec3> control) {
  SurfacePoint sum;
  for (const Share& share : shares) sum.add(share, control[share.vertex]);
  return sum.has_frame();
}

}  // namespace pelt::hierarchical_bspline
