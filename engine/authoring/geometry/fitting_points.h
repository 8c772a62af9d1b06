// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/tools/triangle_tree.h>

namespace pelt {

// A body's surface. The triangles must have area.
struct BodySurface {
  TriangleTree tree;
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;  // smooth, across seams
};
BodySurface body_surface(const Mesh& skin, TriangleTree tree);

struct FittingPoints {
  std::vector<std::optional<ClosestPoint>> fits;
  std::vector<ClosestPoint> closest;  // whether they fit or not
};

// Finds for each vertex of a garment the closest point of the body that the cloth fits at: within `reach` metres, on
// the side of the body that faces the vertex, and with normals at most 30 degrees apart. A lining, or a garment whose
// winding is reversed, fits with the opposite normals; of cloth between two sides of a body, such as a sleeve next to
// the trunk, the side is that of the cloth around it. `triangles`: over welded vertices.
FittingPoints fitting_points(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                             const BodySurface& body, double reach, unsigned threads);

}  // namespace pelt
