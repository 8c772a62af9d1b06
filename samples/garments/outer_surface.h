// SPDX-License-Identifier: MIT
// Makes a surface round a body, at a distance from it. Only this file knows OpenVDB.
#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

namespace pelt::samples {

struct Surface {
  std::vector<glm::vec3> positions;
  std::vector<glm::uvec3> triangles;  // face outward
};

// Makes one closed surface that lies `offset` metres outside of triangles, which may be open, in parts and inside of
// each other. Its triangles are about `cell` metres wide. Like cloth, it spans hollows that a ball of radius `span`
// does not reach into. None: there are no triangles.
std::optional<Surface> outer_surface(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                                     float offset, float span, float cell);

}  // namespace pelt::samples
