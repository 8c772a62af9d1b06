// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/spread_weights.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <limits>
#include <optional>
#include <utility>

#include <pelt/tools/mesh_parts.h>
#include <pelt/tools/parallel.h>

#include "engine/authoring/geometry/bone_forest.h"
#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/diffusion.h"

namespace pelt {
namespace {

// Idea: cut the skeleton at joint c. W_c is the weight of c and of all joints below it: 1 beyond the joint, 0 before
// it. The bend of the joint depends only on the width of the transition of W_c from 0 to 1. So each W_c is spread
// separately, as far as its own limb needs, and the weights of single joints are differences again:
//
//   W_c = sum of w_j over j in the subtree of c,    w_c = W_c - sum of W_d over children d of c
//
// Spread: heat flows along the surface for the time T, dW/dt = div(s grad W), with conductivity s = W_c + w_parent:
// skin that follows neither side of the joint conducts nothing. A profile whose slope has variance V ends with V + 2 T;
// a smoothstep of length L has V = L^2 / 20, hence T = (wanted^2 - found^2) / 40.

constexpr double kSteepest = 1.5;  // largest slope of a smoothstep of length 1
constexpr double kTimePerSquare = 1.0 / 40;
// The opening of a seam as a fraction of the area of skin beyond it, up to which that is a limb, and from which a
// patch.
constexpr double kLimb = 0.25;
constexpr double kPatch = 0.4;
constexpr int kSteps = 8;     // implicit Euler steps; a single one would leave a cusp at the seam
constexpr double kReach = 4;  // standard deviations of the heat's kernel; beyond them weights change by about 1e-5
constexpr int kNobody = -1;

// Returns the forest of only the joints that have painted weights: helpers and controls have none.
std::vector<Bone> painted_forest(std::vector<Bone> bones, const SparseRows& weights) {
  std::vector<bool> painted(bones.size(), false);
  for (const Influence& i : weights.influences) painted[i.index] = painted[bones[i.index].first] = true;
  for (Bone& bone : bones) {
    while (bone.parent != kNobody && !painted[static_cast<std::size_t>(bone.parent)]) {
      bone.parent = bones[static_cast<std::size_t>(bone.parent)].parent;
    }
    bone.children.clear();
  }
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    if (painted[b] && bones[b].parent != kNobody)
      bones[static_cast<std::size_t>(bones[b].parent)].children.push_back(b);
  }
  return bones;
}

// A number at some of the vertices, in ascending order of vertices.
struct Column {
  std::vector<std::uint32_t> vertices;
  std::vector<double> values;
  void append(std::uint32_t vertex, double value) {
    vertices.push_back(vertex);
    values.push_back(value);
  }
};

// w_j and W_j of every joint j, over the vertices at which they are above 0.
struct Shares {
  std::vector<Column> alone;
  std::vector<Column> subtree;
};

Shares find_shares(const SparseRows& weights, const std::vector<Bone>& bones) {
  Shares shares{std::vector<Column>(bones.size()), std::vector<Column>(bones.size())};
  const auto add = [](Column& column, std::uint32_t vertex, double value) {
    if (!column.vertices.empty() && column.vertices.back() == vertex) {
      column.values.back() += value;
    } else {
      column.append(vertex, value);
    }
  };
  for (std::uint32_t v = 0; v < weights.row_count(); ++v) {
    for (const Influence& influence : weights.row(v)) {
      add(shares.alone[influence.index], v, influence.weight);
      for (int j = static_cast<int>(influence.index); j != kNobody; j = bones[static_cast<std::size_t>(j)].parent) {
        add(shares.subtree[static_cast<std::size_t>(j)], v, influence.weight);
      }
    }
  }
  return shares;
}

// The vertices that follow joint c, joints below it, or its parent: W_c may change there.
struct Region {
  std::vector<std::uint32_t> vertices;  // ascending
  std::vector<double> weight;           // W_c
  std::vector<double> conductivity;     // W_c + w_parent
  std::vector<glm::uvec3> triangles;    // corners are indices of the arrays above
  bool shared = false;                  // true if some vertex follows both the joint and its parent
};

class Spreader {
 public:
  Spreader(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles, const std::vector<Bone>& bones)
      : positions_(positions), triangles_(triangles), bones_(bones), place_(positions.size(), kNobody) {}

  // Returns W_c of joint c, spread.
  Column spread(std::uint32_t c, const Shares& shares, const Transition& transition) {
    const Region region = find_region(shares.subtree[c], shares.alone[static_cast<std::size_t>(bones_[c].parent)]);
    const Seam seam = find_seam(region, c);
    if (!(seam.length > 0) || !(region.shared || transition.rigid)) return shares.subtree[c];
    const double radii = transition.radii * (transition.patches ? 1.0 : limb_share(seam, region));
    const double wanted = std::min(radii * seam.radius, transition.bones * shortest_bone(region, c));
    const double time = kTimePerSquare * (wanted * wanted - seam.transition * seam.transition);
    if (!(time > 0)) return shares.subtree[c];
    const std::vector<std::uint32_t> reached = find_reached(region, time);
    const std::vector<double> weight = flow(part_of(region, reached), time);
    Column result{region.vertices, region.weight};
    for (std::size_t i = 0; i < reached.size(); ++i) result.values[reached[i]] = weight[i];
    return result;
  }

 private:
  // The line on which W_c = 1/2.
  struct Seam {
    double length = 0;
    double radius = 0;      // mean distance from the bones at the joint
    double transition = 0;  // length of the smoothstep with the mean steepness of W_c
    double opening = 0;     // area of the flat opening that it surrounds
  };

  glm::dvec3 position(const Region& region, std::uint32_t i) const {
    return glm::dvec3(positions_[region.vertices[i]]);
  }

  Region find_region(const Column& subtree, const Column& parent) {
    Region region;
    std::size_t s = 0;
    std::size_t p = 0;
    while (s < subtree.vertices.size() || p < parent.vertices.size()) {
      const std::uint32_t next_s = s < subtree.vertices.size() ? subtree.vertices[s] : kPast;
      const std::uint32_t next_p = p < parent.vertices.size() ? parent.vertices[p] : kPast;
      const std::uint32_t vertex = std::min(next_s, next_p);
      const double below = next_s == vertex ? subtree.values[s++] : 0.0;
      const double above = next_p == vertex ? parent.values[p++] : 0.0;
      place_[vertex] = static_cast<int>(region.vertices.size());
      region.vertices.push_back(vertex);
      region.shared = region.shared || (below > 0 && above > 0);
      region.weight.push_back(below);
      region.conductivity.push_back(below + above);
    }
    for (const glm::uvec3 t : triangles_) {
      if (place_[t.x] != kNobody && place_[t.y] != kNobody && place_[t.z] != kNobody) {
        region.triangles.emplace_back(place_[t.x], place_[t.y], place_[t.z]);
      }
    }
    for (const std::uint32_t vertex : region.vertices) place_[vertex] = kNobody;
    return region;
  }

  Seam find_seam(const Region& region, std::uint32_t c) const {
    Seam seam;
    double slope = 0;
    glm::dvec3 opening(0);  // twice its area, along its normal
    std::optional<glm::dvec3> origin;
    for (const glm::uvec3 t : region.triangles) {
      glm::dvec3 ends[3];
      int count = 0;
      for (int corner = 0; corner < 3; ++corner) {
        const std::uint32_t a = t[corner];
        const std::uint32_t b = t[(corner + 1) % 3];
        const double from = region.weight[a] - 0.5;
        const double to = region.weight[b] - 0.5;
        if ((from < 0) == (to < 0)) continue;
        ends[from < 0 ? 0 : 1] = glm::mix(position(region, a), position(region, b), from / (from - to));
        ++count;
      }
      if (count != 2) continue;
      if (!origin) origin = ends[0];
      opening += glm::cross(ends[0] - *origin, ends[1] - *origin);
      const double length = glm::distance(ends[0], ends[1]);
      const glm::dvec3 a = position(region, t.x);
      const glm::dvec3 e1 = position(region, t.y) - a;
      const glm::dvec3 e2 = position(region, t.z) - a;
      const double twice_area = glm::length(glm::cross(e1, e2));
      if (!(twice_area > 0)) continue;
      const double d1 = region.weight[t.y] - region.weight[t.x];
      const double d2 = region.weight[t.z] - region.weight[t.x];
      seam.length += length;
      seam.radius += length * distance_to_bones(0.5 * (ends[0] + ends[1]), bones_, c);
      slope += length * glm::length(d1 * e2 - d2 * e1) / twice_area;  // slope of the linear function on the triangle
    }
    if (!(seam.length > 0) || !(slope > 0)) return {};
    seam.radius /= seam.length;
    seam.transition = kSteepest * seam.length / slope;
    seam.opening = 0.5 * glm::length(opening);
    return seam;
  }

  // Returns 1 for a joint of a limb, a tube far longer than its opening, falling to 0 for one of a patch of skin, such
  // as a brow or a hatch, which would drown in a transition as long as a limb's.
  double limb_share(const Seam& seam, const Region& region) const {
    double twice_area = 0;
    for (const glm::uvec3 t : region.triangles) {
      if (region.weight[t.x] + region.weight[t.y] + region.weight[t.z] < 1.5) continue;
      const glm::dvec3 a = position(region, t.x);
      twice_area += glm::length(glm::cross(position(region, t.y) - a, position(region, t.z) - a));
    }
    return 1 - glm::smoothstep(kLimb, kPatch, 2 * seam.opening / twice_area);
  }

  // Returns the shortest of the bones from the parent to c and from c to its children; the last joint's bone ends with
  // its skin.
  double shortest_bone(const Region& region, std::uint32_t c) const {
    const Bone& bone = bones_[c];
    double shortest = glm::distance(bone.origin, bones_[static_cast<std::size_t>(bone.parent)].origin);
    if (bone.children.empty()) {
      double reach = 0;
      for (std::uint32_t i = 0; i < region.vertices.size(); ++i) {
        if (region.weight[i] > 0.5) reach = std::max(reach, glm::distance(position(region, i), bone.origin));
      }
      return std::min(shortest, reach);
    }
    for (const std::uint32_t child : bone.children) {
      shortest = std::min(shortest, glm::distance(bone.origin, bones_[child].origin));
    }
    return shortest;
  }

  // Returns the region's vertices near the transition of W_c: those that exchange heat with it within the time.
  std::vector<std::uint32_t> find_reached(const Region& region, double time) const {
    Bounds<glm::dvec3> transition;
    for (const glm::uvec3 t : region.triangles) {
      if (region.weight[t.x] == region.weight[t.y] && region.weight[t.y] == region.weight[t.z]) continue;
      for (int corner = 0; corner < 3; ++corner) transition.add(position(region, t[corner]));
    }
    const double reach = kReach * std::sqrt(2 * time);
    std::vector<std::uint32_t> reached;
    for (std::uint32_t i = 0; i < region.vertices.size(); ++i) {
      const glm::dvec3 point = position(region, i);
      if (glm::all(glm::greaterThanEqual(point, transition.low - reach)) &&
          glm::all(glm::lessThanEqual(point, transition.high + reach))) {
        reached.push_back(i);
      }
    }
    return reached;
  }

  static Region part_of(const Region& region, std::span<const std::uint32_t> chosen) {
    Region part;
    std::vector<std::uint32_t> place(region.vertices.size(), kPast);
    for (const std::uint32_t i : chosen) {
      place[i] = static_cast<std::uint32_t>(part.vertices.size());
      part.vertices.push_back(region.vertices[i]);
      part.weight.push_back(region.weight[i]);
      part.conductivity.push_back(region.conductivity[i]);
    }
    for (const glm::uvec3 t : region.triangles) {
      if (place[t.x] == kPast || place[t.y] == kPast || place[t.z] == kPast) continue;
      part.triangles.emplace_back(place[t.x], place[t.y], place[t.z]);
    }
    return part;
  }

  std::vector<double> flow(const Region& region, double time) const {
    Diffusion diffusion(region.vertices.size());
    for (const glm::uvec3 t : region.triangles) {
      const double s = std::min({region.conductivity[t.x], region.conductivity[t.y], region.conductivity[t.z]});
      diffusion.add(t, {position(region, t.x), position(region, t.y), position(region, t.z)}, time / kSteps * s);
    }
    std::vector<double> weight = region.weight;
    diffusion.flow(std::span(&weight, 1), kSteps);
    for (double& w : weight) w = std::clamp(w, 0.0, 1.0);
    return weight;
  }

  static constexpr std::uint32_t kPast = std::numeric_limits<std::uint32_t>::max();

  std::span<const glm::vec3> positions_;
  std::span<const glm::uvec3> triangles_;
  const std::vector<Bone>& bones_;
  std::vector<int> place_;  // number of each vertex in the region; all kNobody between calls
};

// Computes rows of single joints' weights from those of subtrees. A joint's children, spread for different times, may
// sum to more than the joint itself: they then divide its weight.
class Recombine {
 public:
  explicit Recombine(const std::vector<Bone>& bones)
      : bones_(bones), subtree_(bones.size(), 0.0), parents_first_(bones.size()) {
    std::vector<std::uint32_t>& order = parents_first_;
    order.clear();
    for (std::uint32_t b = 0; b < bones.size(); ++b) {
      if (bones[b].parent == kNobody) order.push_back(b);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      order.insert(order.end(), bones[order[i]].children.begin(), bones[order[i]].children.end());
    }
  }

  // Computes w_j from W_j at one vertex.
  void operator()(std::span<const std::pair<std::uint32_t, double>> subtree, std::vector<WeightedElement>& row) {
    row.clear();
    for (const auto& [joint, weight] : subtree) subtree_[joint] = weight;
    for (const std::uint32_t joint : parents_first_) {
      if (subtree_[joint] == 0) continue;
      double below = 0;
      for (const std::uint32_t child : bones_[joint].children) below += subtree_[child];
      if (below > subtree_[joint]) {
        for (const std::uint32_t child : bones_[joint].children) subtree_[child] *= subtree_[joint] / below;
      } else if (subtree_[joint] > below) {
        row.push_back({joint, subtree_[joint] - below});
      }
    }
    for (const auto& [joint, weight] : subtree) subtree_[joint] = 0;
  }

 private:
  const std::vector<Bone>& bones_;
  std::vector<double> subtree_;  // all 0 between calls
  std::vector<std::uint32_t> parents_first_;
};

}  // namespace

SparseRows spread_weights(const Mesh& driver, const SparseRows& weights, const Model& model,
                          std::span<const Transition> transitions, unsigned threads) {
  const std::size_t count = driver.positions.size();
  const std::vector<std::uint32_t> first = weld_by_position(driver.positions);
  const std::vector<glm::uvec3> triangles = welded_triangles(first, driver.triangles);
  const std::vector<Bone> bones = painted_forest(bone_forest(model), weights);
  const Shares shares = find_shares(weights, bones);
  std::vector<Column> spread(bones.size());
  parallel_for(bones.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
    Spreader spreader(driver.positions, triangles, bones);
    for (std::size_t j = begin; j < end; ++j) {
      const bool still = bones[j].parent == kNobody || shares.subtree[j].vertices.empty() || transitions[j].radii == 0;
      spread[j] = still ? shares.subtree[j] : spreader.spread(static_cast<std::uint32_t>(j), shares, transitions[j]);
    }
  });
  std::vector<std::vector<std::pair<std::uint32_t, double>>> subtree(count);
  for (std::uint32_t j = 0; j < bones.size(); ++j) {
    for (std::size_t i = 0; i < spread[j].vertices.size(); ++i) {
      subtree[spread[j].vertices[i]].emplace_back(j, spread[j].values[i]);
    }
  }
  SparseRows result;
  Recombine recombine(bones);
  std::vector<WeightedElement> row;
  for (std::size_t i = 0; i < count; ++i) {
    recombine(subtree[first[i]], row);
    append_row(result, row);
  }
  return result;
}

}  // namespace pelt
