// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/frame_pass.h"

#include <algorithm>
#include <bit>

#include <pelt/frame.h>

#include "engine/character/records.h"
#include "shaders/hierarchical_bspline/frame_pose.h"

namespace pelt::hierarchical_bspline {

SurfacePoint at_bind(const Surface& surface, std::span<const Share> shares) {
  SurfacePoint point;
  for (const Share& share : shares) point.add(share, glm::dvec3(surface.vertices()[share.vertex].rest));
  return point;
}

FramePass::FramePass(const Surface& surface, const std::vector<PosedVertex>& posed, FrameKind kind)
    : surface_(surface), posed_(posed), kind_(kind) {
  pass_.kernel = kind == FrameKind::kTangent ? PoseKernel::kTangentFrame : PoseKernel::kMeshFrame;
}

namespace {

// Returns the weights with tangents that are unit and at right angles at bind.
std::vector<Share> squared(const Surface& surface, std::span<const Share> shares) {
  const SurfacePoint point = at_bind(surface, shares);
  const glm::dmat3 axes = point.axes();
  const double length = glm::length(point.tangent_u);
  const double along = glm::dot(point.tangent_v, axes[0]);
  const double across = glm::dot(point.tangent_v, axes[1]);
  std::vector<Share> result(shares.begin(), shares.end());
  for (Share& share : result) {
    share.along_u /= length;
    share.along_v = (share.along_v - along * share.along_u) / across;
  }
  return result;
}

}  // namespace

std::uint32_t FramePass::add(std::span<const Share> given) {
  const std::vector<Share> shares =
      kind_ == FrameKind::kMesh ? squared(surface_, given) : std::vector<Share>(given.begin(), given.end());
  const SurfacePoint point = at_bind(surface_, shares);
  const double length = std::max(glm::length(point.tangent_u), glm::length(point.tangent_v));
  const glm::dmat3 inverse = glm::transpose(point.axes()) / length;
  append_record(
      pass_.records,
      shared::PatchRecord{static_cast<std::uint32_t>(pass_.table.size()), static_cast<std::uint32_t>(shares.size()),
                          affine_from_axes(glm::mat3(inverse), glm::vec3(-(inverse * point.position)))});
  for (const Share& share : shares) {
    pass_.table.push_back(posed_[share.vertex].vertex);
    for (const double number : {share.weight, share.along_u, share.along_v}) {
      pass_.table.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(number)));
    }
    pass_.stage = std::max(pass_.stage, posed_[share.vertex].stage);
  }
  return pass_.record_count++;
}

}  // namespace pelt::hierarchical_bspline
