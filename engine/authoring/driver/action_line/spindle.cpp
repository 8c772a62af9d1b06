// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/action_line/spindle.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <utility>

#include "engine/authoring/model/closed_tube.h"

namespace pelt::action_line {
namespace {

constexpr float kTendonRadius = 0.2f;  // in parts of the radius
constexpr float kEnd = 0.04f;          // fraction of the length over which an end closes as a quarter ellipse

// Returns the radius over that in the middle.
float radius_at(float lambda, float tendon) {
  const float from_end = std::min(lambda, 1 - lambda);
  const float belly = std::clamp((lambda - tendon) / (1 - 2 * tendon), 0.0f, 1.0f);
  const float swelling = std::max(std::sin(glm::pi<float>() * belly), 0.0f);
  const float open = 1 - std::clamp(from_end / kEnd, 0.0f, 1.0f);
  return (kTendonRadius + (1 - kTendonRadius) * swelling * std::sqrt(swelling)) * std::sqrt(1 - open * open);
}

}  // namespace

Mesh make_spindle(std::string name, const RestLine& line, const SpindleShape& shape) {
  const std::uint32_t around = shape.resolution;
  const std::uint32_t along = 2 * around;
  Mesh mesh;
  mesh.name = std::move(name);
  mesh.positions.push_back(affine_origin(line.frame(0)));
  for (std::uint32_t ring = 1; ring < along; ++ring) {
    // Rings stand closer together near the ends, where the mesh closes.
    const float even = static_cast<float>(ring) / static_cast<float>(along);
    const float lambda = std::lerp(0.5f - 0.5f * std::cos(glm::pi<float>() * even), even, 0.5f);
    const Affine frame = line.frame(lambda);
    const float radius = shape.radius * radius_at(lambda, shape.tendon);
    for (std::uint32_t i = 0; i < around; ++i) {
      const float angle = glm::two_pi<float>() * static_cast<float>(i) / static_cast<float>(around);
      const glm::mat3 axes = affine_axes(frame);
      mesh.positions.push_back(affine_origin(frame) + radius * (std::cos(angle) * axes[1] + std::sin(angle) * axes[2]));
    }
  }
  mesh.positions.push_back(affine_origin(line.frame(1)));
  mesh.triangles = closed_tube(along - 1, around);
  mesh.parts = {{0, static_cast<std::uint32_t>(mesh.triangles.size()), -1}};
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  return mesh;
}

}  // namespace pelt::action_line
