// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/tips.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/character/model/skeleton_walk.h"

namespace pelt::chain {
namespace {

// Number of facial joints. Bounds work that grows with the square of numbers in a file.
constexpr std::size_t kMaxBeside = 256;

// Returns the weighted middle of the points. Points at most `from` ahead do not count, and the weight rises linearly up
// to `to`: at a sharp bound, rounding would decide how much of a ring of vertices counts, and pull the middle aside.
glm::dvec3 middle(std::span<const SkinPoint> skin, const glm::dvec3& direction, double from, double to) {
  glm::dvec3 sum(0.0);
  double total = 0;
  for (const SkinPoint& point : skin) {
    const double weight = point.weight * std::clamp((glm::dot(point.offset, direction) - from) / (to - from), 0.0, 1.0);
    sum += weight * point.offset;
    total += weight;
  }
  return total > 0 ? sum / total : glm::dvec3(0.0);
}

double reach_along(std::span<const SkinPoint> skin, const glm::dvec3& direction) {
  double reach = 0;
  for (const SkinPoint& point : skin) reach = std::max(reach, glm::dot(point.offset, direction));
  return reach;
}

// Returns the unit vector of `direction`, turned to at most a right angle to `along`, the bone before, so that no curve
// turns back; `along` itself if little is left. A zero `along` turns nothing.
glm::dvec3 turned_ahead(const glm::dvec3& direction, const glm::dvec3& along) {
  const double ahead = std::min(0.0, glm::dot(glm::normalize(direction), along));
  const glm::dvec3 rest = glm::normalize(direction) - ahead * along;
  return glm::length(rest) < 0.3 ? along : glm::normalize(rest);
}

// Returns the offset of the tip from the joint. It points towards the middle of the skin and then, since a foot bends,
// towards the middle of the far end of the skin. `along` is the direction of the bone before, or zero. The result is
// zero if all the skin is at the joint.
glm::dvec3 tip_of_skin(std::span<const SkinPoint> skin, const glm::dvec3& along) {
  const SkinPoint& farthest =
      *std::ranges::max_element(skin, {}, [](const SkinPoint& point) { return glm::length(point.offset); });
  const double reach = glm::length(farthest.offset);
  if (reach == 0) return glm::dvec3(0.0);
  // Skin all around the joint gives no direction; without a bone before, any will do.
  const glm::dvec3 centre = middle(skin, glm::dvec3(0.0), -1, 0);
  glm::dvec3 direction = glm::length(centre) >= 0.1 * reach ? turned_ahead(centre, along) : along;
  if (direction == glm::dvec3(0.0)) direction = farthest.offset / reach;
  const double ahead = std::max(reach_along(skin, direction), 1e-9 * reach);
  const glm::dvec3 end = middle(skin, direction, 0.65 * ahead, 0.85 * ahead);
  if (glm::dot(end, direction) > 0.1 * reach) direction = turned_ahead(end, along);
  double sum = 0;
  for (const SkinPoint& point : skin) sum += std::max(0.0, glm::dot(point.offset, direction));
  // Even skin reaches twice as far as its mean: anything much longer is a thorn or an object in a hand.
  const double most = 3 * sum / static_cast<double>(skin.size());
  return std::max(std::min(reach_along(skin, direction), most), 0.1 * reach) * direction;
}

// Returns the offset of an unweighted, childless child at about the end of the skin (an end node of exporters).
std::optional<glm::dvec3> find_end_node(const JointClusters& tree, std::span<const glm::dmat4> bind,
                                        std::span<const std::vector<std::uint32_t>> children_of,
                                        const JointCluster& cluster, const glm::dvec3& tip) {
  const double length = glm::length(tip);
  const glm::dvec3 direction = tip / length;
  std::optional<glm::dvec3> best;
  double farthest = 0.5 * length;
  for (const std::uint32_t j : cluster.joints) {
    for (const std::uint32_t child : children_of[j]) {
      if (tree.of_joint[child] != kNone || !children_of[child].empty()) continue;
      const glm::dvec3 offset = glm::dvec3(bind[child][3]) - cluster.position;
      const double ahead = glm::dot(offset, direction);
      if (ahead <= farthest || ahead > 1.5 * length || glm::length(offset - ahead * direction) > 0.5 * length) continue;
      best = offset;
      farthest = ahead;
    }
  }
  return best;
}

// Returns true if all joints below `p` are at the side of the skin that reaches to `tip`, like eyes and a jaw on a
// skull.
bool reaches_beyond(const JointClusters& tree, std::uint32_t p, const glm::dvec3& tip) {
  const double length = glm::length(tip);
  std::vector<std::uint32_t> below = tree.clusters[p].children;
  for (std::size_t i = 0; i < below.size(); ++i) {
    const JointCluster& cluster = tree.clusters[below[i]];
    const glm::dvec3 offset = cluster.position - tree.clusters[p].position;
    if (glm::length(offset) > length || glm::dot(offset, tip) > 0.5 * length * length) return false;
    if (below.size() > kMaxBeside) return false;
    below.insert(below.end(), cluster.children.begin(), cluster.children.end());
  }
  return true;
}

}  // namespace

std::vector<std::vector<SkinPoint>> skin_of_clusters(const Model& model, std::span<const Mesh* const> skins,
                                                     const JointClusters& tree) {
  std::vector<std::vector<SkinPoint>> points(tree.clusters.size());
  std::vector<std::pair<std::uint32_t, double>> sums;
  const auto has_cluster = [&](std::uint32_t joint) { return tree.of_joint[joint] != kNone; };
  for (const Mesh* mesh : skins) {
    for (std::size_t v = 0; v < mesh->positions.size(); ++v) {
      sums.clear();
      for (const Influence& influence : mesh->weights.row(v)) {
        if (influence.weight <= 0) continue;
        std::optional<std::uint32_t> joint = model.bound_joints[influence.index].joint;
        if (!has_cluster(*joint)) joint = find_above(model.skeleton, *joint, has_cluster);  // a facial joint
        if (!joint) continue;
        const std::uint32_t p = tree.of_joint[*joint];
        // If no bone leaves the coincident joints, only skin of the lowest one counts: skin of the upper ones is on the
        // other side.
        if (tree.clusters[p].link_count() == 0 && *joint != tree.clusters[p].lowest) continue;
        const auto found = std::ranges::find(sums, p, &std::pair<std::uint32_t, double>::first);
        if (found == sums.end()) {
          sums.emplace_back(p, static_cast<double>(influence.weight));
        } else {
          found->second += static_cast<double>(influence.weight);
        }
      }
      for (const auto& [p, weight] : sums) {
        points[p].push_back({glm::dvec3(mesh->positions[v]) - tree.clusters[p].position, weight});
      }
    }
  }
  return points;
}

void split_roots(const Model& model, std::span<const Mesh* const> skins, double together, JointClusters& tree) {
  for (std::uint32_t p = 0, count = static_cast<std::uint32_t>(tree.clusters.size()); p < count; ++p) {
    if (tree.clusters[p].parent != kNone || tree.clusters[p].joints.size() < 2 ||
        tree.clusters[p].children.size() > 1) {
      continue;
    }
    std::vector<std::uint32_t> upper;
    for (auto j = model.skeleton.parent_of(tree.clusters[p].lowest); j; j = model.skeleton.parent_of(*j)) {
      if (tree.of_joint[*j] == p) upper.push_back(*j);
    }
    std::ranges::reverse(upper);
    std::vector<SkinPoint> behind;
    std::vector<SkinPoint> ahead;
    for (const Mesh* mesh : skins) {
      for (std::size_t v = 0; v < mesh->positions.size(); ++v) {
        double above = 0;
        double sum = 0;
        for (const Influence& influence : mesh->weights.row(v)) {
          sum += static_cast<double>(influence.weight);
          if (std::ranges::count(upper, model.bound_joints[influence.index].joint) > 0) {
            above += static_cast<double>(influence.weight);
          }
        }
        const glm::dvec3 offset = glm::dvec3(mesh->positions[v]) - tree.clusters[p].position;
        (above > 0.5 * sum ? behind : ahead).push_back({offset, 1});
      }
    }
    if (behind.empty() || ahead.empty()) continue;
    const glm::dvec3 tip = tip_of_skin(behind, glm::dvec3(0.0));
    if (glm::length(tip) <= together || glm::dot(tip, middle(ahead, glm::dvec3(0.0), -1, 0)) >= 0) continue;
    JointCluster& here = tree.clusters[p];
    JointCluster above{.joints = upper, .lowest = upper.back(), .position = here.position + tip, .children = {p}};
    const auto added = static_cast<std::uint32_t>(tree.clusters.size());
    for (const std::uint32_t j : upper) {
      tree.of_joint[j] = added;
      std::erase(here.joints, j);
    }
    here.parent = added;
    tree.notes.push_back(
        fmt::format("The skin of joint '{}' lies on the other side of '{}', which has the same position: it gets a "
                    "bone of its own.",
                    model.skeleton.joints[upper.back()].name, name_of(model, here)));
    tree.clusters.push_back(std::move(above));
  }
}

void find_tips(const Model& model, std::span<const Mesh* const> skins, std::span<const glm::dmat4> bind,
               double together, JointClusters& tree) {
  const std::vector<std::vector<std::uint32_t>> children_of = children_of_joints(model.skeleton);
  std::vector<std::vector<SkinPoint>> skin_of = skin_of_clusters(model, skins, tree);
  for (std::uint32_t p = 0; p < skin_of.size(); ++p) {
    const JointCluster& cluster = tree.clusters[p];
    const bool is_end = cluster.children.empty();
    std::vector<SkinPoint>& skin = skin_of[p];
    if (skin.empty() || cluster.children.size() == 1 || (!is_end && cluster.parent == kNone)) continue;
    const double most = is_end ? std::ranges::max(skin, {}, &SkinPoint::weight).weight : 1.0;
    std::erase_if(skin, [&](const SkinPoint& point) { return point.weight < 0.5 * std::min(1.0, most); });
    if (skin.empty()) continue;
    const glm::dvec3 bone =
        cluster.parent == kNone ? glm::dvec3(0.0) : cluster.position - tree.clusters[cluster.parent].position;
    const glm::dvec3 along = cluster.parent == kNone ? bone : glm::normalize(bone);
    const glm::dvec3 tip = tip_of_skin(skin, along);
    if (glm::length(tip) <= together) continue;
    if (is_end) {
      tree.clusters[p].tip = cluster.position + find_end_node(tree, bind, children_of, cluster, tip).value_or(tip);
    } else if (glm::dot(tip, along) > 0.5 * glm::length(tip) && reaches_beyond(tree, p, tip)) {
      tree.notes.push_back(fmt::format("The skin of joint '{}' reaches beyond all joints below it: it gets a tip.",
                                       name_of(model, cluster)));
      const auto added = static_cast<std::uint32_t>(tree.clusters.size());
      tree.clusters.push_back({.lowest = cluster.lowest, .position = cluster.position + tip, .parent = p});
      tree.clusters[p].children.push_back(added);
    }
  }
}

}  // namespace pelt::chain
