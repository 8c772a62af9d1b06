// SPDX-License-Identifier: MIT
#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "shaders/surface_ffd/pose.h"

namespace pelt {
namespace {

const std::vector<glm::vec3> kRest{{0.5f, 1, 2}, {1.5f, 1.2f, 2}, {0.6f, 2, 2.5f}};

Affine posed(const std::vector<glm::vec3>& vertices) {
  PalettePass pass;
  pass.record_count = 1;
  const Affine rest = shared::edge_frame(kRest[1] - kRest[0], kRest[2] - kRest[0], kRest[0]);
  const glm::mat3 inverse = glm::inverse(affine_axes(rest));
  append_record(pass.records,
                shared::TriangleRecord{0, 1, 2, affine_from_axes(inverse, -(inverse * affine_origin(rest)))});
  std::vector<Affine> palette(1);
  pose_kernel(PoseKernel::kSurfaceFfd).pose(pass, 0, 1, {{}, vertices, {}, palette});
  return palette[0];
}

TEST(SurfaceFfdPose, MovesTheTriangleWithItself) {
  const std::vector<glm::vec3> moved{{3, 0, 1}, {2, 2, 1}, {3, 1, 5}};
  const Affine frame = posed(moved);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_LT(glm::distance(transform_point(frame, kRest[c]), moved[c]), 1e-5f);
  // Distances from the plane of the triangle are kept (equation 2: e3 has unit length).
  const glm::vec3 normal = glm::normalize(glm::cross(kRest[1] - kRest[0], kRest[2] - kRest[0]));
  EXPECT_NEAR(glm::distance(transform_point(frame, kRest[0] + 0.3f * normal), moved[0]), 0.3f, 1e-5f);
}

}  // namespace
}  // namespace pelt
