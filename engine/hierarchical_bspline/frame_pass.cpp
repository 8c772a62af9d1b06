// SPDX-License-Identifier: MIT
#include "engine/hierarchical_bspline/frame_pass.h"

#include <algorithm>
#include <bit>

#include <pelt/frame.h>

#include "engine/character/records.h"
#include "shaders/hierarchical_bspline/frame_pose.h"

namespace pelt::hierarchical_bspline {

SurfacePoint at_bind(const Surface& surface, std::span<const Share> shares) {
  SurfacePoint point{glm::dvec3(0), glm::dvec3(0), glm::dvec3(0)};
  for (const Share& share : shares) {
    const glm::dvec3 rest(surface.vertices()[share.vertex].rest);
    point.position += share.weight * rest;
    point.tangent_u += share.along_u * rest;
    point.tangent_v += share.along_v * rest;
  }
  return point;
}

FramePass::FramePass(const Surface& surface, const std::vector<PosedVertex>& posed) : surface_(surface), posed_(posed) {
  pass_.kernel = PoseKernel::kTangentFrame;
}

std::uint32_t FramePass::add(std::span<const Share> shares) {
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
