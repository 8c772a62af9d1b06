// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/driver_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "engine/surface_ffd/area.h"
#include "engine/surface_ffd/spread_weights.h"
#include "engine/surface_ffd/triangle_tree.h"

namespace pelt::surface_ffd {
namespace {

constexpr std::size_t kMostTransferred = 8;  // joints that one driver vertex follows

// Each row cut to the `most` strongest.
SparseRows strongest(const SparseRows& weights, std::size_t most) {
  SparseRows result;
  std::vector<WeightedElement> row;
  for (std::size_t i = 0; i < weights.row_count(); ++i) {
    row.clear();
    for (const Influence& influence : weights.row(i)) row.push_back({influence.index, influence.weight});
    cut_row(row, most, Cut::kHard);
    append_row(result, row);
  }
  return result;
}

Result<SparseRows> closest_weights(const Mesh& driver, const DeformerInput& input) {
  ShownSurface skin = shown_surface(input, true);
  std::erase_if(skin.mesh.triangles, [&](glm::uvec3 t) { return triangle_area(skin.mesh, t) == 0; });
  if (skin.mesh.triangles.empty()) {
    return invalid(input, fmt::format("the driver '{}' has no weights, and no target has any to give it", driver.name));
  }
  const Result<TriangleTree> tree = TriangleTree::create(skin.mesh.positions, skin.mesh.triangles);
  if (!tree) return invalid(input, tree.error().message);
  skin.mesh = {};
  SparseRows weights;
  std::vector<TriangleTree::Near> nearest;
  std::vector<WeightedElement> row;
  for (const glm::vec3 position : driver.positions) {
    tree->nearest(position, 1, nearest);
    const ClosestPoint closest = tree->closest_point(nearest[0].triangle, position);
    row.clear();
    for (int corner = 0; corner < 3; ++corner) {
      for (const Influence& influence : skin.weights(closest.vertices[corner])) {
        row.push_back({influence.index, closest.weights[corner] * influence.weight});
      }
    }
    append_row(weights, row);
  }
  return weights;
}

}  // namespace

Result<SparseRows> transferred_weights(const DriverSource& driver, const DeformerInput& input) {
  Result<SparseRows> weights = driver.skin_weights;
  if (weights->row_count() == 0) weights = closest_weights(driver.mesh, input);
  if (!weights) return weights;
  return strongest(spread_weights(driver.mesh, *weights, input.model, 1, input.threads), kMostTransferred);
}

namespace {

// A bone of the skeleton at bind, moved by a bound joint.
struct Limb {
  std::uint32_t bound_joint;
  glm::dvec3 from;
  glm::dvec3 to;
};

// Bones from every bound joint to the bound joints below it. A joint with none below goes on as far and in the
// direction that it was reached, or is a point.
std::vector<Limb> find_limbs(const Model& model) {
  constexpr std::int64_t kNone = -1;
  const std::size_t joint_count = model.skeleton.joints.size();
  std::vector<std::int64_t> bound_of_joint(joint_count, kNone);
  std::vector<glm::dvec3> origin(model.bound_joints.size());
  for (std::size_t b = 0; b < model.bound_joints.size(); ++b) {
    const BoundJoint& bound = model.bound_joints[b];
    const glm::dmat4 inverse_bind(bound.inverse_bind);
    const bool usable = std::abs(glm::determinant(glm::dmat3(inverse_bind))) > 0;
    if (!usable || bound_of_joint[bound.joint] != kNone) continue;
    origin[b] = glm::dvec3(glm::inverse(inverse_bind)[3]);
    bound_of_joint[bound.joint] = static_cast<std::int64_t>(b);
  }
  std::vector<std::int64_t> bound_above(joint_count, kNone);  // the nearest bound joint above each joint
  std::vector<bool> has_child(model.bound_joints.size(), false);
  std::vector<Limb> limbs;
  for (std::size_t j = 0; j < joint_count; ++j) {
    const std::int32_t parent = model.skeleton.joints[j].parent;
    if (parent >= 0) {
      const auto p = static_cast<std::size_t>(parent);
      bound_above[j] = bound_of_joint[p] != kNone ? bound_of_joint[p] : bound_above[p];
    }
    if (bound_of_joint[j] == kNone || bound_above[j] == kNone) continue;
    const auto above = static_cast<std::size_t>(bound_above[j]);
    limbs.push_back(
        {static_cast<std::uint32_t>(above), origin[above], origin[static_cast<std::size_t>(bound_of_joint[j])]});
    has_child[above] = true;
  }
  for (std::size_t j = 0; j < joint_count; ++j) {
    if (bound_of_joint[j] == kNone || has_child[static_cast<std::size_t>(bound_of_joint[j])]) continue;
    const auto b = static_cast<std::size_t>(bound_of_joint[j]);
    const glm::dvec3 reached = bound_above[j] == kNone ? origin[b] : origin[static_cast<std::size_t>(bound_above[j])];
    limbs.push_back({static_cast<std::uint32_t>(b), origin[b], origin[b] + (origin[b] - reached)});
  }
  return limbs;
}

}  // namespace

Result<SparseRows> closest_limb_weights(const Mesh& driver, const DeformerInput& input) {
  const std::vector<Limb> limbs = find_limbs(input.model);
  if (limbs.empty()) return invalid(input, fmt::format("the driver '{}' has no limb to follow", driver.name));
  SparseRows weights;
  for (const glm::vec3 position : driver.positions) {
    const glm::dvec3 point(position);
    double least = std::numeric_limits<double>::infinity();
    Influence closest{limbs[0].bound_joint, 1.0f};
    for (const Limb& limb : limbs) {
      const glm::dvec3 bone = limb.to - limb.from;
      const double squared = glm::dot(bone, bone);
      const double t = squared > 0 ? std::clamp(glm::dot(point - limb.from, bone) / squared, 0.0, 1.0) : 0.0;
      const double distance = glm::distance(point, limb.from + t * bone);
      if (distance < least) {
        least = distance;
        closest.index = limb.bound_joint;
      }
    }
    weights.append_row(std::span(&closest, 1));
  }
  return weights;
}

}  // namespace pelt::surface_ffd
