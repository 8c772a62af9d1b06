// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/seams.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <pelt/tools/mesh_parts.h>

namespace pelt::chain {
namespace {

// Returns true if two rows have the same weights up to rounding.
bool are_same(std::span<const Influence> a, std::span<const Influence> b) {
  constexpr float kRounding = 0.01f;
  const auto misses = [&](std::span<const Influence> row, std::span<const Influence> other) {
    return std::ranges::any_of(row, [&](const Influence& influence) {
      const auto known = std::ranges::find(other, influence.index, &Influence::index);
      return std::abs(influence.weight - (known == other.end() ? 0.0f : known->weight)) > kRounding;
    });
  };
  return !misses(a, b) && !misses(b, a);
}

}  // namespace

Seams::Seams(const DeformerInput& input, float rounding) {
  std::vector<std::uint32_t> border;
  for (std::size_t t = 0; t < input.targets.size(); ++t) {
    const std::vector<std::uint32_t> of_target = append_target(input, t);
    border.insert(border.end(), of_target.begin(), of_target.end());
  }
  first_.push_back(static_cast<std::uint32_t>(welded_.size()));
  weld_borders(input, std::move(border), rounding);
}

std::vector<std::uint32_t> Seams::append_target(const DeformerInput& input, std::size_t t) {
  const Mesh& mesh = mesh_of(input, input.targets[t]);
  const auto first = static_cast<std::uint32_t>(welded_.size());
  first_.push_back(first);
  const std::vector<std::uint32_t> in_mesh = weld_by_position(mesh.positions);
  std::vector<glm::uvec3> triangles;
  for (const glm::uvec3 triangle : mesh.triangles) {
    triangles.emplace_back(in_mesh[triangle.x], in_mesh[triangle.y], in_mesh[triangle.z]);
  }
  std::vector<bool> is_border(in_mesh.size(), false);
  // A single target meets no other.
  const bool meets = input.targets.size() > 1;
  for (const BorderEdge& edge : meets ? border_edges(triangles) : std::vector<BorderEdge>()) {
    for (const int corner : {edge.corner, (edge.corner + 1) % 3}) is_border[triangles[edge.triangle][corner]] = true;
  }
  std::vector<std::uint32_t> border;
  for (std::uint32_t v = 0; v < in_mesh.size(); ++v) {
    welded_.push_back(first + in_mesh[v]);
    target_.push_back(static_cast<std::uint32_t>(t));
    if (is_border[v] && input.targets[t].mask[v] > 0) border.push_back(first + v);
  }
  return border;
}

void Seams::weld_borders(const DeformerInput& input, std::vector<std::uint32_t> border, float rounding) {
  const std::size_t count = input.targets.size();
  const auto mesh_at = [&](std::uint32_t v) -> const Mesh& { return mesh_of(input, input.targets[target_[v]]); };
  const auto level_of = [&](std::uint32_t v) {
    const LevelMapping* level = input.targets[target_[v]].level;
    return level == nullptr ? 0 : level->level();
  };
  const auto row = [&](std::uint32_t v) {
    return has_weights(mesh_at(v)) ? mesh_at(v).weights.row(v - first_[target_[v]]) : std::span<const Influence>();
  };
  // Vertices with equal positions and different weights wait for the next round.
  constexpr int kMaxSkins = 8;       // skins that meet at one point
  std::vector<glm::uvec3> meetings;  // pairs of targets, as triangles of two corners
  for (int round = 0; round < kMaxSkins && count > 1 && !border.empty(); ++round) {
    std::vector<glm::vec3> positions;
    for (const std::uint32_t v : border) positions.push_back(mesh_at(v).positions[v - first_[target_[v]]]);
    const std::vector<std::uint32_t> near = weld_within(positions, rounding);
    std::vector<std::uint32_t> left;
    for (std::size_t k = 0; k < near.size(); ++k) {
      const std::uint32_t vertex = border[k];
      const std::uint32_t other = border[near[k]];
      if (level_of(vertex) != level_of(other) || has_weights(mesh_at(vertex)) != has_weights(mesh_at(other)) ||
          !are_same(row(vertex), row(other))) {
        left.push_back(vertex);
        continue;
      }
      welded_[vertex] = other;
      if (target_[vertex] != target_[other]) meetings.emplace_back(target_[vertex], target_[other], target_[other]);
    }
    border = std::move(left);
  }
  for (std::uint32_t& v : welded_) v = welded_[v];
  group_ = connected_parts(count, meetings);
}

std::vector<std::vector<std::size_t>> Seams::groups() const {
  std::vector<std::vector<std::size_t>> groups(group_.size());
  for (std::size_t t = 0; t < group_.size(); ++t) groups[group_[t]].push_back(t);
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

std::vector<std::uint32_t> Seams::welded(std::span<const std::size_t> group) const {
  std::vector<std::uint32_t> result;
  std::vector<std::uint32_t> before(group_.size());  // index of each target's first vertex in the group
  std::uint32_t count = 0;
  for (const std::size_t t : group) {
    before[t] = count;
    count += first_[t + 1] - first_[t];
  }
  for (const std::size_t t : group) {
    for (std::uint32_t v = first_[t]; v < first_[t + 1]; ++v) {
      const std::size_t other = target_[welded_[v]];
      result.push_back(before[other] + welded_[v] - first_[other]);
    }
  }
  return result;
}

}  // namespace pelt::chain
