// SPDX-License-Identifier: MIT
#include "engine/character/rows/tilt.h"

#include <cstdint>

namespace pelt {

std::vector<glm::vec3> tilts(const SurfaceGradient& surface, std::span<const glm::vec3> offsets) {
  std::vector<glm::vec3> result(offsets.size(), glm::vec3(0.0f));
  for (std::uint32_t v = 0; v < offsets.size(); ++v) {
    const glm::vec3 normal = surface.normal(v);
    glm::vec3 rise(0.0f);  // gradient of the offsets' component along the normal
    glm::vec3 curl(0.0f);
    for (const SurfaceGradient::Term& term : surface.ring(v)) {
      const glm::vec3 step = offsets[term.vertex] - offsets[v];
      rise += glm::dot(normal, step) * term.rate;
      curl += glm::cross(term.rate, step);
    }
    // The normal leans against the rise; about the normal the surface turns by half of the curl.
    result[v] = 0.5f * glm::dot(normal, curl) * normal - glm::cross(normal, rise);
  }
  return result;
}

}  // namespace pelt
