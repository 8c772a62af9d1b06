// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/from_skin/limb_sizing.h"

#include <algorithm>
#include <cmath>

#include <pelt/tools/area.h>

#include "engine/authoring/geometry/bone_forest.h"
#include "engine/authoring/rows/row_weights.h"

namespace pelt::from_skin {

LimbSizing limb_sizing(const Mesh& surface, std::size_t triangles, double of_distance, const Model& model) {
  constexpr double kDensest = 64;           // largest density: the square of how many times finer edges may be
  constexpr double kMax = 4;                // largest factor on the requested number of triangles
  const double kArea = std::sqrt(3.0) / 4;  // area of a triangle with edges of 1
  LimbSizing sizing{triangles, std::vector<float>(surface.positions.size(), 1.0f)};
  if (!has_weights(surface)) return sizing;
  double area = 0;
  for (const glm::uvec3 t : surface.triangles) area += triangle_area(surface, t);
  if (!(area > 0)) return sizing;
  const double squared_edge = area / (kArea * static_cast<double>(triangles));
  const std::vector<Bone> bones = bone_forest(model);
  for (std::size_t v = 0; v < sizing.density.size(); ++v) {
    const Influence strongest = strongest_influence(surface.weights.row(v));
    const std::uint32_t bone = bones[strongest.index].first;
    if (!bones[bone].is_somewhere) continue;
    const double edge = of_distance * distance_to_bones(glm::dvec3(surface.positions[v]), bones, bone);
    sizing.density[v] = static_cast<float>(std::clamp(squared_edge / (edge * edge), 1.0, kDensest));
  }
  double needed = 0;
  for (const glm::uvec3 t : surface.triangles) {
    const double density = (sizing.density[t.x] + sizing.density[t.y] + sizing.density[t.z]) / 3;
    needed += density * triangle_area(surface, t) / (kArea * squared_edge);
  }
  const double most = kMax * static_cast<double>(triangles);
  sizing.triangles = std::max(triangles, static_cast<std::size_t>(std::min(needed, most)));
  return sizing;
}

}  // namespace pelt::from_skin
