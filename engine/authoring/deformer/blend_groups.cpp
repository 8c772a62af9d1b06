// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/blend_groups.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <type_traits>
#include <utility>

namespace pelt {
namespace {

constexpr double kMinShare = 1e-6;  // above the rounding of the sum of a vertex's fractions

// Returns the fraction of vertex i that the offset groups leave to `rows`. A tiny remainder counts as 0, since
// fractions may have been multiplied and rounded.
double rest_share(std::span<const OffsetGroup> groups, std::size_t i) {
  double share = 1;
  double size = 1;
  for (const OffsetGroup& group : groups) {
    share -= group.local[i].w;
    size += std::abs(group.local[i].w);
  }
  return share < kMinShare * size ? 0.0 : share;
}

bool has_share(const std::vector<glm::vec4>& local) {
  return std::ranges::any_of(local, [](const glm::vec4& point) { return point.w != 0; });
}

// The change of fractions by a mask: groups below are multiplied by 1 - mask, groups above by mask.
struct Fade {
  std::span<const float> mask;
  std::span<const glm::vec3> gradient;  // or empty
  bool above;

  float share(std::size_t i) const { return above ? mask[i] : 1 - mask[i]; }
  glm::vec3 passing(std::size_t i) const {
    if (gradient.empty() || mask[i] == 0 || mask[i] == 1) return glm::vec3(0.0f);
    return above ? gradient[i] : -gradient[i];
  }
};

// Fades the gradients of rows whose group has the fraction `share_of(vertex)` before the fade.
template <class ShareOf>
void fade_gradients(SparseRows& rows, const Fade& fade, const ShareOf& share_of) {
  if (rows.gradients.empty()) rows.gradients.resize(rows.influences.size(), glm::vec3(0.0f));
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    const glm::vec3 passing = static_cast<float>(share_of(i)) * fade.passing(i);
    for (std::uint32_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
      rows.gradients[k] = fade.share(i) * rows.gradients[k] + rows.influences[k].weight * passing;
    }
  }
}

// Appends the groups that still have a fraction after the fade.
void append_groups(std::vector<OffsetGroup>& groups, std::vector<OffsetGroup> more, const Fade& fade, bool gradients) {
  for (OffsetGroup& group : more) {
    if (gradients) fade_gradients(group.rows, fade, [&](std::size_t i) { return group.local[i].w; });
    for (std::size_t i = 0; i < group.local.size(); ++i) {
      const float share = fade.share(i);
      group.local[i] = share == 0 ? glm::vec4(0.0f) : glm::vec4(glm::vec3(group.local[i]), group.local[i].w * share);
    }
    if (has_share(group.local)) groups.push_back(std::move(group));
  }
}

// Returns the rows of the vertices at which a group has a fraction; the others are empty.
SparseRows where_shared(const SparseRows& rows, const std::vector<glm::vec4>& local) {
  SparseRows result;
  result.offsets.reserve(rows.offsets.size());
  for (std::size_t i = 0; i < local.size(); ++i) {
    if (local[i].w != 0) {
      result.append_row(rows.row(i), rows.row_gradients(i));
    } else {
      result.append_row({});
    }
  }
  return result;
}

}  // namespace

bool has_gradients(const MeshBinding& binding) {
  const auto known = [](const SparseRows& rows) { return !rows.gradients.empty(); };
  return known(binding.rows) || std::ranges::any_of(binding.wires_rows, known) ||
         std::ranges::any_of(binding.offset_groups, known, &OffsetGroup::rows);
}

void lay_groups_over(MeshBinding& below, MeshBinding above, std::span<const float> mask,
                     std::span<const glm::vec3> mask_gradient) {
  if (below.offset_groups.empty() && above.offset_groups.empty()) {
    below.rows = merge_over(below.rows, above.rows, mask, mask_gradient);
    return;
  }
  const bool gradients = has_gradients(below) || has_gradients(above);
  const Fade fading{mask, mask_gradient, false};
  const Fade showing{mask, mask_gradient, true};
  std::vector<float> of_above(mask.size(), 0.0f);  // fraction of `above` in the merged rows
  std::vector<double> hidden(mask.size(), 0.0);
  std::vector<double> shown(mask.size(), 0.0);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    hidden[i] = mask[i] < 1 ? rest_share(below.offset_groups, i) : 0.0;
    shown[i] = mask[i] > 0 ? rest_share(above.offset_groups, i) : 0.0;
    const double part = double{mask[i]} * shown[i];
    if (part > 0) of_above[i] = static_cast<float>(part / ((1 - double{mask[i]}) * hidden[i] + part));
  }
  if (gradients) {
    fade_gradients(below.rows, fading, [&](std::size_t i) { return hidden[i]; });
    fade_gradients(above.rows, showing, [&](std::size_t i) { return shown[i]; });
  }
  below.rows = merge_faded(below.rows, above.rows, of_above);
  std::vector<OffsetGroup> groups;
  append_groups(groups, std::move(below.offset_groups), fading, gradients);
  append_groups(groups, std::move(above.offset_groups), showing, gradients);
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
    for (const std::uint32_t v : vertices) some.append_row(all.row(v), all.row_gradients(v));
    return some;
  };
  MeshBinding part;
  part.rows = pick_rows(whole.rows);
  part.mode = whole.mode;
  part.distances = pick(whole.distances);
  part.remarks = pick(whole.remarks);
  part.cut_error = whole.cut_error;
  part.dropped_elements = whole.dropped_elements;
  for (const SparseRows& rows : whole.wires_rows) part.wires_rows.push_back(pick_rows(rows));
  part.wires_exponent = whole.wires_exponent;
  for (const OffsetGroup& group : whole.offset_groups) {
    part.offset_groups.push_back({pick_rows(group.rows), pick(group.local)});
  }
  return part;
}

BlendGroups take_groups(MeshBinding& binding, std::span<const glm::vec3> rest_positions) {
  BlendGroups groups;
  if (binding.offset_groups.empty()) {
    groups.rows.push_back(std::move(binding.rows));
    for (SparseRows& rows : binding.wires_rows) groups.rows.push_back(std::move(rows));
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
      const auto group_share = static_cast<float>(group.local[i].w / sum);
      group.local[i] = glm::vec4(group_share == 0 ? rest_positions[i] : glm::vec3(group.local[i]), group_share);
    }
    rest.emplace_back(rest_positions[i], static_cast<float>(share / sum));
  }
  const bool has_rest = has_share(rest);
  if (has_rest) {
    groups.rows.push_back(where_shared(binding.rows, rest));
    groups.local_points.push_back(std::move(rest));
  }
  for (OffsetGroup& group : binding.offset_groups) {
    if (!has_share(group.local)) continue;
    groups.rows.push_back(where_shared(group.rows, group.local));
    group.rows = {};
    groups.local_points.push_back(std::move(group.local));
  }
  if (has_rest && groups.rows.size() == 1) groups.local_points.clear();
  binding.rows = {};
  binding.offset_groups.clear();
  return groups;
}

}  // namespace pelt
