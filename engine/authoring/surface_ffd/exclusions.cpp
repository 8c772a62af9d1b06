// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/exclusions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <pelt/tools/joint_roles.h>
#include <pelt/tools/mesh_parts.h>
#include <pelt/try.h>

#include "engine/authoring/deformer/region.h"
#include "engine/authoring/geometry/bone_forest.h"
#include "engine/authoring/geometry/edge_rings.h"

namespace pelt::surface_ffd {
namespace {

// The vertices of a mesh; coincident ones are one.
struct Rings {
  explicit Rings(const Mesh& mesh) : welded(weld_by_position(mesh.positions)), edges(welded, mesh.triangles) {}

  std::vector<std::uint32_t> welded;  // for every vertex the first one at its position
  EdgeRings edges;
};

// Fades rows over the surface. Each round moves every vertex's row half way to the mean of its neighbours, so that a
// step becomes a slope over `rounds` rings on either side.
SparseRows faded(SparseRows rows, const Rings& rings, std::uint32_t rounds) {
  std::vector<WeightedElement> row;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    SparseRows next;
    for (std::uint32_t v = 0; v < rows.row_count(); ++v) {
      const std::uint32_t welded = rings.welded[v];
      if (welded != v) {
        const std::vector<Influence> same(next.row(welded).begin(), next.row(welded).end());
        next.append_row(same);
        continue;
      }
      const std::span<const EdgeRings::Edge> ring = rings.edges.from(welded);
      const double share = 0.5 / static_cast<double>(ring.size());
      row.clear();
      for (const Influence& i : rows.row(v)) row.push_back({i.index, ring.empty() ? i.weight : 0.5 * i.weight});
      for (const auto& [from, to] : ring) {
        for (const Influence& i : rows.row(to)) row.push_back({i.index, share * i.weight});
      }
      append_row(next, row);
    }
    rows = std::move(next);
  }
  return rows;
}

std::vector<float> faded(std::vector<float> values, const Rings& rings, std::uint32_t rounds) {
  SparseRows rows;
  for (const float value : values) {
    const Influence shares[] = {{0, 1 - value}, {1, value}};
    rows.append_row(shares);
  }
  rows = faded(std::move(rows), rings, rounds);
  for (std::size_t v = 0; v < values.size(); ++v) {
    values[v] = 0;
    for (const Influence& share : rows.row(v)) values[v] += share.index == 1 ? share.weight : 0.0f;
  }
  return values;
}

// Counts hops between bones. Bones have the numbers of bound joints; a twist helper is part of the bone that it twists.
class HopCounter {
 public:
  explicit HopCounter(const Model& model) : bones_(bone_forest(model)), bone_of_(bones_.size()) {
    const std::vector<JointUse> uses = joint_uses(model.skeleton);
    // Parents precede their joints, so the bones above are known.
    std::vector<std::uint32_t> by_joint(bones_.size());
    std::iota(by_joint.begin(), by_joint.end(), 0u);
    std::ranges::stable_sort(by_joint, {}, [&](std::uint32_t b) { return model.bound_joints[b].joint; });
    for (const std::uint32_t b : by_joint) {
      const std::uint32_t first = bones_[b].first;
      const bool twists = uses[model.bound_joints[first].joint].kind == JointKind::kTwist && bones_[first].parent >= 0;
      bone_of_[b] = twists ? bone_of_[static_cast<std::size_t>(bones_[first].parent)] : first;
    }
  }

  // Returns the bone that moves the vertices most, by the sum of their rows.
  std::uint32_t strongest(const SparseRows& weights, std::initializer_list<std::uint32_t> vertices) const {
    std::map<std::uint32_t, double> sums;
    for (const std::uint32_t v : vertices) {
      for (const Influence& i : weights.row(v)) sums[bone_of_[i.index]] += i.weight;
    }
    return std::ranges::max_element(sums, [](const auto& a, const auto& b) { return a.second < b.second; })->first;
  }

  // Returns for every bone 1 if it is at most `limit` steps from `from`, else 0.
  std::vector<std::uint8_t> near(std::uint32_t from, std::uint32_t limit) const {
    std::vector<std::uint8_t> near(bones_.size(), 0);
    std::vector<std::uint32_t> reached{from};
    near[from] = 1;
    for (std::uint32_t step = 0; step < limit && !reached.empty(); ++step) {
      std::vector<std::uint32_t> next;
      const auto reach = [&](std::uint32_t bone) {
        if (std::exchange(near[bone], std::uint8_t{1}) == 0) next.push_back(bone);
      };
      for (const std::uint32_t bone : reached) {
        if (bones_[bone].parent >= 0) reach(bone_of_[static_cast<std::size_t>(bones_[bone].parent)]);
        for_each_child(bone, reach);
      }
      reached = std::move(next);
    }
    return near;
  }

 private:
  // Visits the children of a bone, and those of the twist helpers that are part of it.
  template <class Visit>
  void for_each_child(std::uint32_t bone, const Visit& visit) const {
    std::vector<std::uint32_t> open{bone};
    while (!open.empty()) {
      const std::uint32_t part = open.back();
      open.pop_back();
      for (const std::uint32_t child : bones_[part].children) {
        if (bone_of_[child] == bone) {
          open.push_back(child);
        } else {
          visit(bone_of_[child]);
        }
      }
    }
  }

  std::vector<Bone> bones_;
  std::vector<std::uint32_t> bone_of_;  // bone that each bound joint is part of
};

}  // namespace

Result<void> Exclusions::add_rule(const GroupPair& pair, const char* key, std::optional<float> factor,
                                  const Driver& driver, const Elements& elements, const DeformerTarget& target,
                                  const DeformerInput& input) {
  if (elements.parametric()) return invalid(input, "groups cannot contain the samples of a patch");
  const std::string what = fmt::format("{}: {}", input.layer, key);
  PELT_ASSIGN(const auto triangles, group_triangles(pair.elements, driver.source, input.model, input.rig, what));
  // With several targets, a pair only applies to the mesh that its group of vertices names, if any.
  const Group* group = input.rig.find_group(pair.vertices);
  if (group != nullptr && group->mesh != "*" && group->mesh != input.model.meshes[target.mesh].name &&
      full_detail(input).size() > 1)
    return {};
  Rule rule{factor, {}, std::vector<float>(mesh_of(input, target).positions.size(), 1.0f)};
  if (!pair.vertices.empty()) {
    PELT_ASSIGN(rule.vertices, group_values(pair.vertices, target, input, what));
  }
  for (std::size_t k = 0; k < elements.count(); ++k) {
    rule.elements.push_back(triangles[elements.source_triangle(k)]);
  }
  rules_.push_back(std::move(rule));
  return {};
}

Result<Exclusions> Exclusions::create(const SurfaceFfdParameters& parameters, const Driver& driver,
                                      const Elements& elements, const DeformerTarget& target,
                                      const DeformerInput& input) {
  Exclusions result;
  const auto add = [&](const GroupPair& pair, const char* key, std::optional<float> factor) {
    return result.add_rule(pair, key, factor, driver, elements, target, input);
  };
  for (const GroupPair& pair : parameters.exclude) PELT_TRY(add(pair, "exclude", 0.0f));
  for (const GroupPair& pair : parameters.exclusive) PELT_TRY(add(pair, "exclusive", std::nullopt));
  for (const ElementStrength& strength : parameters.strengths) {
    PELT_TRY(add({strength.elements, strength.vertices}, "strengths", strength.factor));
  }
  if (result.rules_.empty() && !parameters.max_hops) return result;

  const Mesh& mesh = mesh_of(input, target);
  const Rings rings(mesh);
  for (Rule& rule : result.rules_) rule.vertices = faded(std::move(rule.vertices), rings, parameters.fade);
  if (!parameters.max_hops) return result;
  if (elements.parametric()) return invalid(input, "max_hops needs bones, and samples of a patch have none");
  for (const Mesh* weighted : {&mesh, &driver.mesh}) {
    if (has_weights(*weighted)) continue;
    return invalid(input, fmt::format("max_hops needs weights, and '{}' has none", weighted->name));
  }
  Hops hops;
  const HopCounter counter(input.model);
  std::map<std::uint32_t, std::uint32_t> place_of_bone;
  for (const glm::uvec3 t : elements.triangles()) {
    const std::uint32_t bone = counter.strongest(driver.mesh.weights, {t.x, t.y, t.z});
    const auto [place, is_new] = place_of_bone.emplace(bone, static_cast<std::uint32_t>(place_of_bone.size()));
    if (is_new) hops.near.push_back(counter.near(bone, *parameters.max_hops));
    hops.element_bone.push_back(place->second);
  }
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
    const Influence influence{counter.strongest(mesh.weights, {v}), 1.0f};
    hops.vertex_bones.append_row(std::span(&influence, 1));
  }
  hops.vertex_bones = faded(std::move(hops.vertex_bones), rings, parameters.fade);
  result.hops_ = std::move(hops);
  return result;
}

void Exclusions::separate_parts(const Mesh& mesh, const Mesh& driver) {
  const std::size_t count = mesh.positions.size();
  std::vector<glm::vec3> positions = mesh.positions;
  positions.insert(positions.end(), driver.positions.begin(), driver.positions.end());
  const std::vector<std::uint32_t> welded = weld_by_position(positions);
  const std::vector<std::uint32_t> parts = connected_parts(count, welded_triangles(welded, mesh.triangles));
  for (std::size_t v = 0; v < count; ++v) parts_.push_back(parts[welded[v]]);
  for (std::size_t v = count; v < welded.size(); ++v) {
    driver_parts_.push_back(welded[v] < count ? std::optional(parts[welded[v]]) : std::nullopt);
  }
}

double Exclusions::allowance(std::size_t vertex, std::size_t element, bool with_hops) const {
  double allowed = 1;
  for (const Rule& rule : rules_) {
    const double inside = rule.vertices[vertex];
    if (!rule.factor) {
      allowed *= rule.elements[element] != 0 ? inside : 1 - inside;
    } else if (rule.elements[element] != 0) {
      allowed *= 1 + (double{*rule.factor} - 1) * inside;
    }
  }
  if (with_hops && hops_ && allowed > 0) {
    const std::vector<std::uint8_t>& near = hops_->near[hops_->element_bone[element]];
    double share = 0;
    for (const Influence& bone : hops_->vertex_bones.row(vertex)) share += near[bone.index] != 0 ? bone.weight : 0;
    allowed *= std::min(share, 1.0);
  }
  // A factor that is 1 up to rounding must not send the vertex through the slow search.
  return std::abs(allowed - 1) < 1e-6 ? 1 : allowed < 1e-6 ? 0 : allowed;
}

double Exclusions::most(std::size_t vertex) const {
  double most = 1;
  for (const Rule& rule : rules_)
    most *= 1 + (std::max(double{rule.factor.value_or(1)}, 1.0) - 1) * rule.vertices[vertex];
  return most;
}

}  // namespace pelt::surface_ffd
