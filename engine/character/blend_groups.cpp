// SPDX-License-Identifier: MIT
#include "engine/character/blend_groups.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <type_traits>
#include <utility>

namespace pelt {
namespace {

constexpr double kLeastShare = 1e-6;  // more than rounding leaves of the sum of a vertex's shares

// What the offset groups leave of vertex i. Shares may have been multiplied and rounded: next to nothing is nothing.
double rest_share(std::span<const OffsetGroup> groups, std::size_t i) {
  double share = 1;
  double size = 1;
  for (const OffsetGroup& group : groups) {
    share -= group.local[i].w;
    size += std::abs(group.local[i].w);
  }
  return share < kLeastShare * size ? 0.0 : share;
}

bool has_share(const std::vector<glm::vec4>& local) {
  return std::any_of(local.begin(), local.end(), [](const glm::vec4& point) { return point.w != 0; });
}

// Appends the groups with shares times share_of(vertex), where that is not 0.
template <class ShareOf>
void append_groups(std::vector<OffsetGroup>& groups, std::vector<OffsetGroup> more, const ShareOf& share_of) {
  for (OffsetGroup& group : more) {
    for (std::size_t i = 0; i < group.local.size(); ++i) {
      const float share = share_of(i);
      group.local[i] = share == 0 ? glm::vec4(0.0f) : glm::vec4(glm::vec3(group.local[i]), group.local[i].w * share);
    }
    if (has_share(group.local)) groups.push_back(std::move(group));
  }
}

// Rows, or slopes, of the vertices where a group has a share.
template <class Rows>
Rows where_shared(const Rows& rows, const std::vector<glm::vec4>& local) {
  if (rows.row_count() == 0) return {};
  Rows result;
  result.offsets.reserve(rows.offsets.size());
  for (std::size_t i = 0; i < local.size(); ++i) {
    if (local[i].w != 0) {
      result.append_row(rows.row(i));
    } else {
      result.append_row({});
    }
  }
  return result;
}

}  // namespace

void lay_groups_over(MeshBinding& below, MeshBinding above, std::span<const float> mask) {
  if (below.offset_groups.empty() && above.offset_groups.empty()) {
    below.rows = merge_over(below.rows, above.rows, mask);
    below.slopes = merge_over(below.slopes, above.slopes, mask);
    return;
  }
  std::vector<float> of_above(mask.size(), 0.0f);  // the part of the rest group's share that `above` has
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const double hidden = mask[i] < 1 ? (1 - double{mask[i]}) * rest_share(below.offset_groups, i) : 0.0;
    const double shown = mask[i] > 0 ? double{mask[i]} * rest_share(above.offset_groups, i) : 0.0;
    if (shown > 0) of_above[i] = static_cast<float>(shown / (hidden + shown));
  }
  below.rows = merge_over(below.rows, above.rows, of_above);
  below.slopes = merge_over(below.slopes, above.slopes, of_above);
  std::vector<OffsetGroup> groups;
  append_groups(groups, std::move(below.offset_groups), [&](std::size_t i) { return 1 - mask[i]; });
  append_groups(groups, std::move(above.offset_groups), [&](std::size_t i) { return mask[i]; });
  below.offset_groups = std::move(groups);
}

MeshBinding binding_of(const MeshBinding& whole, std::span<const std::uint32_t> vertices) {
  const auto pick = [&](const auto& all) {
    std::remove_cvref_t<decltype(all)> some;
    if (all.empty()) return some;
    for (const std::uint32_t v : vertices) some.push_back(all[v]);
    return some;
  };
  const auto pick_rows = [&](const auto& all) {
    std::remove_cvref_t<decltype(all)> some;
    if (all.row_count() == 0) return some;
    for (const std::uint32_t v : vertices) some.append_row(all.row(v));
    return some;
  };
  MeshBinding part;
  part.rows = pick_rows(whole.rows);
  part.slopes = pick_rows(whole.slopes);
  part.mode = whole.mode;
  part.distances = pick(whole.distances);
  part.remarks = pick(whole.remarks);
  part.cut_error = whole.cut_error;
  part.dropped_elements = whole.dropped_elements;
  for (const SparseRows& rows : whole.wires_rows) part.wires_rows.push_back(pick_rows(rows));
  for (const SlopeRows& rows : whole.wires_slopes) part.wires_slopes.push_back(pick_rows(rows));
  part.wires_exponent = whole.wires_exponent;
  for (std::uint32_t v = 0; v < vertices.size(); ++v) {
    if (std::ranges::binary_search(whole.repaired_vertices, vertices[v])) part.repaired_vertices.push_back(v);
  }
  for (const OffsetGroup& group : whole.offset_groups) {
    part.offset_groups.push_back({pick_rows(group.rows), pick(group.local)});
  }
  return part;
}

BlendGroups take_groups(MeshBinding& binding, std::span<const glm::vec3> rest_positions) {
  BlendGroups groups;
  if (binding.offset_groups.empty()) {
    groups.rows.push_back(std::move(binding.rows));
    groups.slopes.push_back(std::move(binding.slopes));
    for (SparseRows& rows : binding.wires_rows) groups.rows.push_back(std::move(rows));
    for (SlopeRows& rows : binding.wires_slopes) groups.slopes.push_back(std::move(rows));
    return groups;
  }
  assert(binding.mode == BlendMode::kLinear && binding.wires_rows.empty());
  std::vector<glm::vec4> rest;
  rest.reserve(rest_positions.size());
  for (std::size_t i = 0; i < rest_positions.size(); ++i) {
    const double share = rest_share(binding.offset_groups, i);
    double sum = share;
    for (const OffsetGroup& group : binding.offset_groups) sum += group.local[i].w;
    for (OffsetGroup& group : binding.offset_groups) {
      const auto own = static_cast<float>(group.local[i].w / sum);
      group.local[i] = glm::vec4(own == 0 ? rest_positions[i] : glm::vec3(group.local[i]), own);
    }
    rest.emplace_back(rest_positions[i], static_cast<float>(share / sum));
  }
  if (has_share(rest)) {
    groups.rows.push_back(where_shared(binding.rows, rest));
    groups.slopes.push_back(where_shared(binding.slopes, rest));
    groups.local_points.push_back(std::move(rest));
  }
  for (OffsetGroup& group : binding.offset_groups) {
    if (!has_share(group.local)) continue;
    groups.rows.push_back(where_shared(group.rows, group.local));
    group.rows = {};
    groups.local_points.push_back(std::move(group.local));
  }
  const bool rest_alone = groups.rows.size() == 1 && !groups.slopes.empty();
  if (rest_alone) {
    groups.local_points.clear();
  } else if (!groups.slopes.empty()) {
    groups.slopes.resize(groups.rows.size());
  }
  binding.rows = {};
  binding.slopes = {};
  binding.offset_groups.clear();
  return groups;
}

}  // namespace pelt
