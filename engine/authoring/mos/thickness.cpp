// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/thickness.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "engine/authoring/deformer/rigid_parts.h"
#include "engine/authoring/geometry/segment.h"

namespace pelt::mos {
namespace {

using chain::Chain;

constexpr double kShareOfArea = 0.85;
constexpr float kNearest = 1.0001f;  // factor on the least distance, for rounding

float distance_to(glm::vec3 point, glm::vec3 from, glm::vec3 to) {
  return glm::distance(point, glm::mix(from, to, share_along(point, from, to)));
}

}  // namespace

SkinThickness::SkinThickness(const Model& model, std::span<const std::uint32_t> meshes, std::span<const Chain> chains)
    : model_(model), meshes_(meshes) {
  for (const std::uint32_t m : meshes) {
    const Mesh& mesh = model.meshes[m];
    areas_.push_back(mesh.triangles.empty() ? std::vector<double>(mesh.positions.size(), 1.0)
                                            : vertex_areas(mesh.positions, mesh.triangles));
    rigid_.push_back(find_rigid_parts(mesh));
    std::vector<float>& nearest = nearest_.emplace_back();
    if (has_weights(mesh)) continue;
    for (const glm::vec3 point : mesh.positions) {
      float least = std::numeric_limits<float>::infinity();
      for (const Chain& chain : chains) {
        for (std::size_t i = 1; i < chain.anchors.size(); ++i) {
          least = std::min(least, distance_to(point, chain.anchors[i - 1].position, chain.anchors[i].position));
        }
      }
      nearest.push_back(least);
    }
  }
}

std::optional<SkinAtJoint> SkinThickness::at(const Chain& chain, std::size_t i) const {
  const glm::vec3 at = chain.anchors[i].position;
  const glm::vec3 ends[] = {chain.anchors[i - 1].position, chain.anchors[i + 1].position};
  const std::uint32_t joints[] = {chain.anchors[i - 1].joint, chain.anchors[i].joint, chain.anchors[i + 1].joint};
  const auto follows = [&](std::span<const Influence> row) {
    float share = 0;
    for (const Influence& influence : row) {
      const std::uint32_t joint = model_.bound_joints[influence.index].joint;
      if (std::ranges::find(joints, joint) != std::end(joints)) share += influence.weight;
    }
    return share >= 0.5f;
  };
  std::vector<std::pair<float, double>> found;  // distance, area that counts
  double area = 0, rigid_area = 0, counted = 0;
  for (std::size_t m = 0; m < meshes_.size(); ++m) {
    const Mesh& mesh = model_.meshes[meshes_[m]];
    const bool weighted = has_weights(mesh);
    for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
      if (weighted && !follows(mesh.weights.row(v))) continue;
      const glm::vec3 point = mesh.positions[v];
      const float before = distance_to(point, at, ends[0]);
      const float after = distance_to(point, at, ends[1]);
      const float distance = std::min(before, after);
      if (!weighted && distance > kNearest * nearest_[m][v]) continue;
      const glm::vec3 end = ends[before < after ? 0 : 1];
      const float share = share_along(point, at, end);
      if (share > 0.5f) continue;
      if (rigid_[m][v]) {
        rigid_area += areas_[m][v];
        continue;
      }
      area += areas_[m][v];
      if (distance == 0) continue;
      // A calf counts little at its knee: d^4 / (d^4 + a^4), d from the bone and a along it.
      const double along = double{share} * glm::distance(at, end) / distance;
      found.emplace_back(distance, areas_[m][v] / (1 + along * along * along * along));
      counted += found.back().second;
    }
  }
  std::sort(found.begin(), found.end());
  double so_far = 0;
  for (const auto& [distance, vertex_area] : found) {
    so_far += vertex_area;
    if (so_far < kShareOfArea * counted) continue;
    return SkinAtJoint{distance, rigid_area > 0 ? static_cast<float>(area / (area + rigid_area)) : 1.0f};
  }
  return std::nullopt;
}

}  // namespace pelt::mos
