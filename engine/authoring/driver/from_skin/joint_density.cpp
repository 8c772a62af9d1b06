// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/from_skin/joint_density.h"

#include <algorithm>
#include <glm/gtc/constants.hpp>
#include <map>
#include <span>
#include <utility>

#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/geometry/edge_distances.h"
#include "engine/authoring/geometry/roots.h"
#include "engine/authoring/rows/row_weights.h"

namespace pelt::from_skin {
namespace {

// A seam: a curve across the surface at which the joint with the largest weight changes.
struct Seam {
  std::vector<std::pair<std::uint32_t, double>> starts;  // vertices next to it, and their distance from it, metres
  double length = 0;
};

float weight_of(std::span<const Influence> row, std::uint32_t joint) {
  for (const Influence& influence : row) {
    if (influence.index == joint) return influence.weight;
  }
  return 0;
}

// A point of an edge with equal weights on two joints, and its seam.
struct Crossing {
  std::pair<std::uint32_t, std::uint32_t> joints;  // ascending
  double at;                                       // 0: the edge's first vertex, 1: its second
  std::uint32_t seam;
};

std::map<MeshEdge, Crossing> find_crossings(const Mesh& surface, std::span<const glm::uvec3> triangles,
                                            std::span<const Influence> joints) {
  std::map<MeshEdge, Crossing> crossings;
  for (const glm::uvec3 t : triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      const auto [a, b] = edge_at(t, corner);
      if (joints[a].index == joints[b].index) continue;
      const double lead_a = joints[a].weight - weight_of(surface.weights.row(a), joints[b].index);
      const double lead_b = joints[b].weight - weight_of(surface.weights.row(b), joints[a].index);
      const double at = lead_a + lead_b > 0 ? lead_a / (lead_a + lead_b) : 0.5;
      crossings.try_emplace({a, b}, Crossing{std::minmax(joints[a].index, joints[b].index), at,
                                             static_cast<std::uint32_t>(crossings.size())});
    }
  }
  return crossings;
}

// Returns connected chains of crossings between the same two joints.
std::vector<Seam> find_seams(const Mesh& surface, std::span<const glm::uvec3> triangles,
                             std::span<const Influence> joints) {
  std::map<MeshEdge, Crossing> crossings = find_crossings(surface, triangles, joints);
  Roots roots(crossings.size());
  const auto position = [&](const MeshEdge& edge, const Crossing& crossing) {
    return glm::mix(glm::dvec3(surface.positions[edge.first]), glm::dvec3(surface.positions[edge.second]), crossing.at);
  };
  std::vector<std::pair<std::uint32_t, double>> pieces;  // pieces of seams, each across one triangle: seam and length
  for (const glm::uvec3 t : triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      const MeshEdge edge = edge_at(t, corner);
      const MeshEdge next = edge_at(t, (corner + 1) % 3);
      const auto here = crossings.find(edge);
      const auto there = crossings.find(next);
      if (here == crossings.end() || there == crossings.end()) continue;
      if (here->second.joints != there->second.joints) continue;
      roots.join(here->second.seam, there->second.seam);
      pieces.emplace_back(here->second.seam,
                          glm::distance(position(edge, here->second), position(next, there->second)));
    }
  }
  std::vector<Seam> seams(crossings.size());
  for (const auto& [seam, length] : pieces) seams[roots.of(seam)].length += length;
  for (const auto& [edge, crossing] : crossings) {
    const double length =
        glm::distance(glm::dvec3(surface.positions[edge.first]), glm::dvec3(surface.positions[edge.second]));
    Seam& seam = seams[roots.of(crossing.seam)];
    seam.starts.emplace_back(edge.first, crossing.at * length);
    seam.starts.emplace_back(edge.second, (1 - crossing.at) * length);
  }
  std::erase_if(seams, [](const Seam& seam) { return seam.length == 0; });
  return seams;
}

}  // namespace

std::vector<float> joint_density(const Mesh& surface, float strength) {
  // In limb radii. A bend is smooth over about two radii on either side of the joint.
  constexpr double kAllUntil = 1.5;
  constexpr double kNoneFrom = 3.0;
  std::vector<float> density(surface.positions.size(), 1.0f);
  if (!has_weights(surface)) return density;
  const std::vector<std::uint32_t> welded = weld_by_position(surface.positions);
  const std::vector<glm::uvec3> triangles = welded_triangles(welded, surface.triangles);
  std::vector<Influence> joints;
  for (std::size_t i = 0; i < density.size(); ++i) joints.push_back(strongest_influence(surface.weights.row(i)));
  std::vector<double> distance(density.size(), kNoneFrom);  // of welded vertices from seams, in limb radii
  EdgeDistances along(surface.positions, welded, surface.triangles);
  for (const Seam& seam : find_seams(surface, triangles, joints)) {
    const double radius = seam.length / glm::two_pi<double>();
    along.flood(seam.starts, kNoneFrom * radius);
    for (const std::uint32_t v : along.reached()) distance[v] = std::min(distance[v], along[v] / radius);
  }
  for (std::size_t i = 0; i < density.size(); ++i) {
    const double near = glm::smoothstep(0.0, 1.0, (kNoneFrom - distance[welded[i]]) / (kNoneFrom - kAllUntil));
    const double mixed = std::min(1.0, 2.0 * (1.0 - joints[welded[i]].weight));
    density[i] = static_cast<float>(1 + (strength - 1) * std::max(near, mixed));
  }
  return density;
}

}  // namespace pelt::from_skin
