// SPDX-License-Identifier: MIT
#include "samples/viewer/mask_paint.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace pelt::viewer {
namespace {

using Json = nlohmann::json;

// Returns the brush's strength at a distance from its centre.
float strength(const PaintState& brush, float distance) {
  const float hard = brush.radius * (1 - brush.softness);
  if (distance <= hard) return 1;
  const float t = std::clamp((brush.radius - distance) / (brush.radius - hard), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

}  // namespace

Result<void> MaskPaint::begin(const Document& document, const PaintState& brush, const std::string& mesh) {
  values_.clear();
  const std::vector<Group>& groups = document.rig().groups;
  const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.name == brush.group; });
  if (group == groups.end()) return fail(ErrorCode::kNotFound, fmt::format("there is no group '{}'", brush.group));
  const Mesh* painted = document.model()->find_mesh(mesh);
  if (painted == nullptr) return fail(ErrorCode::kNotFound, fmt::format("there is no mesh '{}'", mesh));
  const bool lists = !group->vertices.empty() || !group->triangles.empty();
  const bool any_of_several = group->mesh == "*" && document.model()->meshes.size() > 1;
  if (lists && (any_of_several || (group->mesh != "*" && group->mesh != mesh))) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("the numbers of group '{}' speak of mesh '{}', not of '{}'",
                                                         group->name, group->mesh, mesh));
  }
  brush_ = brush;
  group_ = static_cast<std::size_t>(group - groups.begin());
  mesh_ = lists ? group->mesh : mesh;
  values_.assign(painted->positions.size(), 0.0f);
  read_group(*group);
  // A group that lists nothing covers everything: removing takes away from all.
  if (!lists && group->region == Region{} && brush.remove) std::fill(values_.begin(), values_.end(), 1.0f);
  add_neighbours(*painted);
  return {};
}

void MaskPaint::read_group(const Group& group) {
  std::size_t listed = 0;
  for (const IndexRange& range : group.vertices) {
    for (std::uint64_t v = range.first; v <= range.last && v < values_.size(); ++v, ++listed) {
      values_[v] = group.values.empty() ? 1.0f : listed < group.values.size() ? group.values[listed] : 0.0f;
    }
  }
}

void MaskPaint::add_neighbours(const Mesh& mesh) {
  const std::size_t count = mesh.positions.size();
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  const auto at = [&](std::uint32_t v) {
    const glm::vec3& p = mesh.positions[v];
    return std::tuple(p.x, p.y, p.z);
  };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::tuple(at(a), a) < std::tuple(at(b), b); });
  place_.assign(count, 0);
  neighbours_.assign(count, {});
  vertices_.assign(count, {});
  std::uint32_t place = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || at(order[i]) != at(order[i - 1])) place = order[i];
    place_[order[i]] = place;
    vertices_[place].push_back(order[i]);
  }
  for (const glm::uvec3& triangle : mesh.triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      const std::uint32_t a = place_[triangle[corner]];
      const std::uint32_t b = place_[triangle[(corner + 1) % 3]];
      neighbours_[a].push_back(b);
      neighbours_[b].push_back(a);
    }
  }
}

Result<void> MaskPaint::stroke(Document& document, std::span<const glm::vec3> positions, std::uint32_t vertex,
                               glm::vec3 center) {
  if (!painting() || vertex >= values_.size() || positions.size() != values_.size()) return {};
  std::vector<std::uint32_t> reached{place_[vertex]};
  std::vector<bool> seen(values_.size());
  seen[reached[0]] = true;
  bool changed = false;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const float distance = glm::distance(positions[reached[i]], center);
    if (i > 0 && distance > brush_.radius) continue;
    const float felt = i == 0 ? 1.0f : strength(brush_, distance);
    for (const std::uint32_t v : vertices_[reached[i]]) {
      const float value = brush_.remove ? std::min(values_[v], 1 - felt) : std::max(values_[v], felt);
      changed = changed || value != values_[v];
      values_[v] = value;
    }
    for (const std::uint32_t next : neighbours_[reached[i]]) {
      if (!seen[next]) reached.push_back(next);
      seen[next] = true;
    }
  }
  if (!changed) return {};

  Json rig = document.rig_json();
  if (group_ >= rig["groups"].size() || rig["groups"][group_]["name"] != brush_.group) return {};  // undone meanwhile
  Json ranges = Json::array();
  Json values = Json::array();
  for (std::uint32_t v = 0; v < values_.size(); ++v) {
    if (values_[v] <= 0) continue;
    std::uint32_t last = v;
    while (last + 1 < values_.size() && values_[last + 1] > 0) ++last;
    ranges.push_back(v == last ? Json(v) : Json{v, last});
    for (; v <= last; ++v) values.push_back(values_[v]);
    v = last;
  }
  if (std::all_of(values.begin(), values.end(), [](const Json& value) { return value == 1.0; })) values.clear();
  // An empty list would mean everything.
  if (ranges.empty()) {
    ranges.push_back(vertex);
    values.push_back(0);
  }
  Json& group = rig["groups"][group_];
  group["mesh"] = mesh_;
  group["vertices"] = std::move(ranges);
  group["values"] = std::move(values);
  return document.edit(rig, "paint " + brush_.group);
}

void MaskPaint::end(Document& document) {
  if (painting()) document.end_edit();
  values_.clear();
}

}  // namespace pelt::viewer
