// SPDX-License-Identifier: MIT
#include "tests/support/morphs.h"

#include <algorithm>
#include <cmath>
#include <glm/glm.hpp>
#include <string>

namespace pelt::test {

void add_morph_targets(Mesh& mesh, std::uint32_t count) {
  float least = mesh.positions[0].x;
  float most = least;
  for (const glm::vec3& p : mesh.positions) {
    least = std::min(least, p.x);
    most = std::max(most, p.x);
  }
  for (std::uint32_t t = 0; t < count; ++t) {
    MorphTarget target{.name = "target" + std::to_string(t)};
    const float number = static_cast<float>(t);
    const float first = least + (most - least) * 0.66f * number / static_cast<float>(count);
    for (const glm::vec3& p : mesh.positions) {
      const float along = (p.x - first) / ((most - least) / 3 + 1e-6f);
      const bool inside = along >= 0 && along <= 1;
      const glm::vec3 way(std::sin(number + p.y), std::cos(2 * number + p.z), std::sin(3 * number + p.x));
      target.offsets.push_back(inside ? 0.05f * (most - least) * way : glm::vec3(0.0f));
      target.normals.push_back(inside ? 0.4f * glm::vec3(way.z, way.x, way.y) : glm::vec3(0.0f));
      target.tangents.push_back(inside && !mesh.tangents.empty() ? 0.3f * glm::vec3(way.y, way.z, way.x)
                                                                 : glm::vec3(0.0f));
    }
    mesh.morph_targets.push_back(std::move(target));
  }
}

Mesh morphed(const Mesh& mesh, const float* weights) {
  Mesh result = mesh;
  result.morph_targets.clear();
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    glm::vec3 normal = mesh.normals[v];
    for (std::size_t t = 0; t < mesh.morph_targets.size(); ++t) {
      result.positions[v] += weights[t] * mesh.morph_targets[t].offsets[v];
      if (!mesh.morph_targets[t].normals.empty()) normal += weights[t] * mesh.morph_targets[t].normals[v];
    }
    result.normals[v] = glm::normalize(normal);
  }
  return result;
}

}  // namespace pelt::test
