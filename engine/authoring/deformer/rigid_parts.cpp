// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/rigid_parts.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/rows/row_weights.h"

namespace pelt {
namespace {

// On the joint that a rigid part follows: smallest weight of a vertex, and smallest mean weight.
constexpr float kMinOfJoint = 0.75f;
constexpr float kMeanOfJoint = 0.95f;

}  // namespace

std::vector<bool> find_rigid_parts(const Mesh& mesh) {
  const std::size_t count = mesh.positions.size();
  std::vector<bool> rigid(count, false);
  if (mesh.weights.row_count() != count) return rigid;
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  const std::vector<glm::uvec3> triangles = welded_triangles(welded, mesh.triangles);
  const std::vector<std::uint32_t> part_of = connected_parts(count, triangles);

  struct Part {
    std::optional<std::uint32_t> joint;  // the joint on which the first vertex has the most weight
    bool has_triangle = false;
    bool follows_others = false;
    double sum = 0;  // of the weights on the joint
    std::size_t vertices = 0;
  };
  std::vector<Part> parts(count);  // by the vertex that represents the part
  for (const glm::uvec3 t : triangles) parts[part_of[t.x]].has_triangle = true;
  for (std::size_t i = 0; i < count; ++i) {
    Part& part = parts[part_of[welded[i]]];
    const Influence strongest = strongest_influence(mesh.weights.row(i));
    if (!part.joint) part.joint = strongest.index;
    part.follows_others |= strongest.index != *part.joint || strongest.weight < kMinOfJoint;
    part.sum += strongest.weight;
    ++part.vertices;
  }
  const auto moves_as_one = [](const Part& part) {
    return !part.follows_others && part.sum >= kMeanOfJoint * static_cast<double>(part.vertices);
  };
  // Points without triangles are in no part; if all parts are rigid, they have nothing else to follow.
  const bool all =
      std::ranges::all_of(parts, [&](const Part& part) { return !part.has_triangle || moves_as_one(part); });
  for (std::size_t i = 0; i < count; ++i) {
    const Part& part = parts[part_of[welded[i]]];
    rigid[i] = part.has_triangle ? moves_as_one(part) : all && !triangles.empty();
  }
  return rigid;
}

}  // namespace pelt
