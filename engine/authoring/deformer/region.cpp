// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/region.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <pelt/finite.h>
#include <pelt/selection.h>
#include <pelt/tools/triangle_tree.h>
#include <pelt/tools/weld.h>
#include <pelt/try.h>

#include "engine/authoring/base/not_found.h"
#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/geometry/edge_distances.h"
#include "engine/authoring/model/find_named.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

// Returns 1 up to distance 0 and 0 from `falloff` on, smooth in between.
double fall(double distance, double falloff) {
  if (distance <= 0) return 1;
  if (distance >= falloff) return 0;
  return glm::smoothstep(0.0, 1.0, 1 - distance / falloff);
}

// Returns metres along edges from each vertex to the closest one whose `inside` is at least a half; infinite if it
// reaches none. Vertices at one position count as one.
std::vector<double> distance_along_edges(const Mesh& mesh, const std::vector<double>& inside) {
  const std::size_t count = mesh.positions.size();
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  std::vector<EdgeDistances::Start> starts;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!(inside[i] < 0.5)) starts.emplace_back(welded[i], 0.0);
  }
  EdgeDistances along(mesh.positions, welded, mesh.triangles);
  along.flood(starts);
  std::vector<double> distance(count);
  for (std::size_t i = 0; i < count; ++i) distance[i] = along[welded[i]];
  return distance;
}

Result<std::vector<double>> joint_values(const Region& region, const Mesh& mesh, const Model& model,
                                         const std::string& what) {
  std::vector<bool> named(model.bound_joints.size(), false);
  for (const std::string& name : region.joints) {
    PELT_ASSIGN(const auto joint, find_joint(model.skeleton, name, what));
    for (std::size_t b = 0; b < named.size(); ++b) named[b] = named[b] || model.bound_joints[b].joint == joint;
  }
  if (!has_weights(mesh)) {
    return invalid("{} names joints, but mesh '{}' has no weights", what, mesh.name);
  }
  std::vector<double> values(mesh.positions.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    double all = 0;
    for (const Influence& influence : mesh.weights.row(i)) {
      all += influence.weight;
      if (named[influence.index]) sum += influence.weight;
    }
    values[i] = sum / all;  // all is 1 only up to rounding; the sum over every joint must be exactly 1
  }
  if (region.joint_falloff > 0) {
    const std::vector<double> distance = distance_along_edges(mesh, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::max(values[i], fall(distance[i], region.joint_falloff));
    }
  }
  return values;
}

// Returns metres from each vertex to the triangles of another mesh. Error: no triangle has area.
Result<std::vector<double>> distances_to(const Mesh& other, const Mesh& mesh) {
  std::vector<glm::uvec3> triangles;
  for (const glm::uvec3 t : other.triangles) {
    const glm::dvec3 a(other.positions[t.x]);
    const glm::dvec3 normal = glm::cross(glm::dvec3(other.positions[t.y]) - a, glm::dvec3(other.positions[t.z]) - a);
    if (glm::dot(normal, normal) > 0) triangles.push_back(t);
  }
  PELT_ASSIGN(const auto tree, TriangleTree::create(other.positions, triangles));
  const std::vector<glm::dvec3> points(mesh.positions.begin(), mesh.positions.end());
  std::vector<double> distances(points.size());
  tree.nearest(points, 1, [&](std::size_t i, std::span<const TriangleTree::NearPoint> found) {
    distances[i] = std::sqrt(found[0].closest.squared_distance);
  });
  return distances;
}

double distance_from(const Box& box, const glm::dvec3& p) {
  return glm::length(glm::max(glm::max(glm::dvec3(box.min) - p, p - glm::dvec3(box.max)), glm::dvec3(0)));
}

double distance_from(const Sphere& sphere, const glm::dvec3& p) {
  return glm::distance(p, glm::dvec3(sphere.center)) - sphere.radius;
}

Result<std::vector<double>> near_distances(const Near& near, const Mesh& mesh, const Model& model,
                                           const std::string& what) {
  PELT_ASSIGN(const auto other, find_mesh(model, near.mesh, what));
  Result<std::vector<double>> distances = distances_to(*other, mesh);
  if (!distances) return invalid("{} is near the mesh '{}', which has no triangle with area", what, near.mesh);
  return distances;
}

void multiply(std::vector<float>& values, const std::function<double(std::size_t)>& factor) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(std::clamp(values[i] * factor(i), 0.0, 1.0));
  }
}

Result<const Group*> find_group(const std::string& name, const Mesh& mesh, const Rig& rig, const std::string& what) {
  const Group* group = rig.find_group(name);
  if (group == nullptr) return not_found(what, "group", name, rig.groups, &Group::name);
  if (group->mesh != "*" && group->mesh != mesh.name) {
    return invalid("{} uses the group '{}' of mesh '{}' on mesh '{}'", what, name, group->mesh, mesh.name);
  }
  return group;
}

// Returns 1 for every triangle whose corners all have at least a half.
std::vector<std::uint8_t> triangles_inside(const std::vector<float>& values, const Mesh& mesh) {
  std::vector<std::uint8_t> inside;
  inside.reserve(mesh.triangles.size());
  for (const glm::uvec3 t : mesh.triangles) {
    inside.push_back(values[t.x] >= 0.5f && values[t.y] >= 0.5f && values[t.z] >= 0.5f ? 1 : 0);
  }
  return inside;
}

std::vector<float> at_level(std::vector<float> values, const DeformerTarget& target) {
  return target.level == nullptr ? values : target.level->carry(std::span<const float>(values));
}

// Calls visit(index, position in the list) for each index of a group. Errors: a range that descends or reaches `count`.
// `what`: "the group 'g' lists vertices".
Result<void> for_each_index(std::span<const IndexRange> ranges, std::size_t count, const std::string& what,
                            const Mesh& mesh, const std::function<void(std::uint32_t, std::size_t)>& visit) {
  std::size_t place = 0;
  for (const IndexRange& range : ranges) {
    if (range.first > range.last || range.last >= count) {
      return invalid("{} {} to {}, but mesh '{}' has {}", what, range.first, range.last, mesh.name, count);
    }
    for (std::uint32_t i = range.first; i <= range.last; ++i) visit(i, place++);
  }
  return {};
}

}  // namespace

Result<std::vector<float>> region_values(const Region& region, const Mesh& mesh, const Model& model, const Rig& rig,
                                         const std::string& what) {
  std::vector<float> values(mesh.positions.size(), 1.0f);
  if (!region.joints.empty()) {
    PELT_ASSIGN(const auto joints, joint_values(region, mesh, model, what));
    multiply(values, [&](std::size_t i) { return joints[i]; });
  }
  if (!region.group.empty()) {
    PELT_ASSIGN(const auto group, group_values(region.group, mesh, model, rig, what));
    multiply(values, [&](std::size_t i) { return group[i]; });
  }
  if (!region.attribute.empty()) {
    const auto found = std::ranges::find(mesh.attributes, region.attribute, &VertexAttribute::name);
    if (found == mesh.attributes.end()) {
      return not_found(what, "attribute", fmt::format("{} of mesh {}", region.attribute, mesh.name), mesh.attributes,
                       &VertexAttribute::name);
    }
    multiply(values, [&](std::size_t i) { return std::clamp(static_cast<double>(found->values[i]), 0.0, 1.0); });
  }
  if (region.box) {
    const glm::dvec3 low(region.box->min);
    const glm::dvec3 high(region.box->max);
    if (!glm::all(glm::lessThanEqual(low, high))) return invalid("{} has a box whose min is above its max", what);
    multiply(values, [&](std::size_t i) {
      return fall(distance_from(*region.box, glm::dvec3(mesh.positions[i])), region.box->falloff);
    });
  }
  if (region.sphere) {
    multiply(values, [&](std::size_t i) {
      return fall(distance_from(*region.sphere, glm::dvec3(mesh.positions[i])), region.sphere->falloff);
    });
  }
  if (region.near) {
    PELT_ASSIGN(const auto near, near_distances(*region.near, mesh, model, what));
    multiply(values, [&](std::size_t i) { return fall(near[i], region.near->falloff); });
  }
  return values;
}

std::string why_nowhere(const Region& region, const Mesh& mesh, const Model& model, const Rig& rig) {
  const auto is_nowhere = [&](const Region& part) {
    const Result<std::vector<float>> values = region_values(part, mesh, model, rig, "");
    return values && std::ranges::all_of(*values, [](float value) { return value == 0; });
  };
  const auto too_far = [&](const std::string& what, float falloff, const auto& distance_of) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) least = std::min(least, distance_of(i));
    return fmt::format("mesh '{}' is at least {:.3g} m from {}, beyond the falloff of {:.3g} m", mesh.name, least, what,
                       falloff);
  };
  const auto place = [&](std::size_t i) { return glm::dvec3(mesh.positions[i]); };
  if (is_nowhere({.joints = region.joints, .joint_falloff = region.joint_falloff})) {
    return fmt::format("no vertex of mesh '{}' follows the joints '{}'", mesh.name, fmt::join(region.joints, "', '"));
  }
  if (is_nowhere({.group = region.group})) {
    const Group& group = *rig.find_group(region.group);
    if (group.region != Region{} && is_nowhere(group.region)) {
      return fmt::format("in the group '{}', {}", group.name, why_nowhere(group.region, mesh, model, rig));
    }
    return fmt::format("the group '{}' has no vertex of mesh '{}'", region.group, mesh.name);
  }
  if (is_nowhere({.attribute = region.attribute})) {
    return fmt::format("the attribute '{}' is 0 on all of mesh '{}'", region.attribute, mesh.name);
  }
  if (is_nowhere({.box = region.box})) {
    return too_far("the box", region.box->falloff, [&](std::size_t i) { return distance_from(*region.box, place(i)); });
  }
  if (is_nowhere({.sphere = region.sphere})) {
    return too_far("the sphere", region.sphere->falloff,
                   [&](std::size_t i) { return distance_from(*region.sphere, place(i)); });
  }
  if (is_nowhere({.near = region.near})) {
    const Result<std::vector<double>> distances = near_distances(*region.near, mesh, model, "");
    return too_far(fmt::format("mesh '{}'", region.near->mesh), region.near->falloff,
                   [&](std::size_t i) { return (*distances)[i]; });
  }
  return fmt::format("no vertex of mesh '{}' is in all parts of the mask at once", mesh.name);
}

Result<std::vector<float>> group_values(const std::string& name, const Mesh& mesh, const Model& model, const Rig& rig,
                                        const std::string& what) {
  PELT_ASSIGN(const auto found, find_group(name, mesh, rig, what));
  const Group& group = *found;
  const std::string group_what = fmt::format("the group '{}'", name);
  std::vector<float> values(mesh.positions.size(), 0.0f);
  if (group.region != Region{} || (group.vertices.empty() && group.triangles.empty())) {
    if (!group.region.group.empty())
      return invalid("{} has a region with a group: groups cannot contain groups", group_what);
    PELT_ASSIGN(values, region_values(group.region, mesh, model, rig, group_what));
  }
  std::size_t count = 0;
  PELT_TRY(for_each_index(group.vertices, values.size(), group_what + " lists vertices", mesh,
                          [&](std::uint32_t i, std::size_t place) {
                            const float value = place < group.values.size() ? group.values[place] : 1.0f;
                            values[i] = std::max(values[i], value);
                            count = place + 1;
                          }));
  if (!group.values.empty() && group.values.size() != count) {
    return invalid("{} lists {} vertices and {} values", group_what, count, group.values.size());
  }
  return values;
}

Result<std::vector<std::uint8_t>> region_triangles(const Region& region, const Mesh& mesh, const Model& model,
                                                   const Rig& rig, const std::string& what) {
  Region shape = region;
  shape.group.clear();
  PELT_ASSIGN(const auto values, region_values(shape, mesh, model, rig, what));
  std::vector<std::uint8_t> inside = triangles_inside(values, mesh);
  if (region.group.empty()) return inside;
  PELT_ASSIGN(const auto group, group_triangles(region.group, mesh, model, rig, what));
  for (std::size_t t = 0; t < inside.size(); ++t) inside[t] = inside[t] != 0 && group[t] != 0;
  return inside;
}

Result<std::vector<std::uint8_t>> group_triangles(const std::string& name, const Mesh& mesh, const Model& model,
                                                  const Rig& rig, const std::string& what) {
  PELT_ASSIGN(const auto values, group_values(name, mesh, model, rig, what));
  std::vector<std::uint8_t> inside = triangles_inside(values, mesh);
  PELT_TRY(for_each_index(rig.find_group(name)->triangles, inside.size(),
                          fmt::format("the group '{}' lists triangles", name), mesh,
                          [&](std::uint32_t t, std::size_t) { inside[t] = 1; }));
  return inside;
}

Result<std::vector<float>> region_values(const Region& region, const DeformerTarget& target, const DeformerInput& input,
                                         const std::string& what) {
  PELT_ASSIGN(auto values, region_values(region, input.model.meshes[target.mesh], input.model, input.rig, what));
  return at_level(std::move(values), target);
}

Result<std::vector<float>> group_values(const std::string& name, const DeformerTarget& target,
                                        const DeformerInput& input, const std::string& what) {
  PELT_ASSIGN(auto values, group_values(name, input.model.meshes[target.mesh], input.model, input.rig, what));
  return at_level(std::move(values), target);
}

}  // namespace pelt
