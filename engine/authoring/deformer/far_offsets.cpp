// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/far_offsets.h"

#include <algorithm>
#include <utility>

#include "engine/authoring/geometry/bounds.h"

namespace pelt {
namespace {

double length_of(std::span<const glm::vec3> positions) { return glm::length(bounds_of<glm::dvec3>(positions).size()); }

}  // namespace

std::vector<MorphOffsets> offsets_of(std::span<const MorphTarget> targets, std::span<const MorphTarget> added) {
  std::vector<MorphOffsets> offsets;
  for (const auto& some : {targets, added}) {
    for (const MorphTarget& target : some) offsets.push_back({target.offsets, target.normals, target.tangents});
  }
  return offsets;
}

std::vector<std::uint32_t> far_targets(std::span<const glm::vec3> positions, std::span<const MorphOffsets> targets) {
  std::vector<std::uint32_t> far;
  const double length = length_of(positions);
  for (std::uint32_t t = 0; t < targets.size(); ++t) {
    const auto is_far = [&](const glm::vec3& offset) { return glm::length(glm::dvec3(offset)) > length; };
    if (std::ranges::any_of(targets[t].positions, is_far)) far.push_back(t);
  }
  return far;
}

PackedMorphs pack_apart(std::span<const glm::vec3> positions, std::vector<MorphOffsets> targets,
                        std::span<const std::uint32_t> far, std::size_t vertex_count,
                        std::span<const std::uint32_t> order) {
  const double length = length_of(positions);
  std::vector<std::vector<glm::vec3>> parts;
  for (const std::uint32_t t : far) {
    std::vector<glm::vec3> near_part(targets[t].positions.begin(), targets[t].positions.end());
    std::vector<glm::vec3> far_part(near_part.size(), glm::vec3(0.0f));
    for (std::size_t v = 0; v < near_part.size(); ++v) {
      if (glm::length(glm::dvec3(near_part[v])) > length) std::swap(near_part[v], far_part[v]);
    }
    targets[t].positions = parts.emplace_back(std::move(near_part));
    targets.push_back({parts.emplace_back(std::move(far_part)), {}, {}});
  }
  return pack_morphs(targets, vertex_count, order);
}

}  // namespace pelt
