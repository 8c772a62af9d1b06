// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <limits>
#include <utility>

namespace pelt::curve_skeleton {
namespace {

// Of the skeleton's extent: closer joints stand together.
constexpr double kTogether = 1e-6;
// Of a bone's length: how far from it a twist helper may stand, and how close to its ends it still is one of its own.
constexpr double kBesideBone = 0.05;
constexpr double kAtBoneEnd = 0.02;
// Bounds on work that grows with the square of what a file says: real skeletons stay far below.
constexpr std::size_t kMostSiblings = 64;
constexpr int kMostEnclosureTests = 16;

const std::string& name_of(const Model& model, const Place& place) {
  return model.skeleton.joints[place.joints.front()].name;
}

// Sum of the weights of each joint; 1 for each joint that counts where there are no skins.
std::vector<double> joint_weights(const Model& model, std::span<const Mesh* const> skins) {
  std::vector<double> weights(model.skeleton.joints.size(), 0.0);
  for (const Mesh* mesh : skins) {
    for (const Influence& influence : mesh->weights.influences) {
      weights[model.bound_joints[influence.index].joint] += static_cast<double>(influence.weight);
    }
  }
  if (!skins.empty()) return weights;
  for (const BoundJoint& bound : model.bound_joints) weights[bound.joint] = 1;
  if (!model.bound_joints.empty()) return weights;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const std::int32_t parent = model.skeleton.joints[j].parent;
    if (parent >= 0) weights[j] = weights[static_cast<std::size_t>(parent)] = 1;
  }
  return weights;
}

// Whether the surfaces enclose the point, by its winding number (the sum of solid angles over 4 pi), which holes change
// little. Points without triangles enclose everything.
bool encloses(std::span<const Mesh* const> skins, const glm::dvec3& point) {
  bool any = false;
  double angle = 0;
  for (const Mesh* mesh : skins) {
    for (const glm::uvec3& triangle : mesh->triangles) {
      any = true;
      const glm::dvec3 a = glm::dvec3(mesh->positions[triangle.x]) - point;
      const glm::dvec3 b = glm::dvec3(mesh->positions[triangle.y]) - point;
      const glm::dvec3 c = glm::dvec3(mesh->positions[triangle.z]) - point;
      const double la = glm::length(a), lb = glm::length(b), lc = glm::length(c);
      // Van Oosterom & Strackee 1983, equation 8.
      angle += 2 * std::atan2(glm::dot(a, glm::cross(b, c)),
                              la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb);
    }
  }
  return !any || std::abs(angle) > glm::pi<double>();
}

// The joints with weights and those between them.
std::vector<bool> find_body(const Model& model, std::span<const Mesh* const> skins, std::span<const double> weights,
                            std::span<const glm::dmat4> bind, std::vector<std::string>& notes) {
  const std::vector<Joint>& joints = model.skeleton.joints;
  std::vector<bool> leads(joints.size());  // to a weight, at the joint or below
  std::vector<std::uint32_t> branches(joints.size(), 0);
  for (std::size_t j = joints.size(); j-- > 0;) {
    leads[j] = weights[j] > 0 || branches[j] > 0;
    if (leads[j] && joints[j].parent >= 0) ++branches[static_cast<std::size_t>(joints[j].parent)];
  }
  std::vector<bool> body(joints.size());
  int tests = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const bool below = joints[j].parent >= 0 && body[static_cast<std::size_t>(joints[j].parent)];
    body[j] = weights[j] > 0 || (leads[j] && below);
    if (body[j] || branches[j] < 2) continue;
    body[j] = tests++ < kMostEnclosureTests && encloses(skins, glm::dvec3(bind[j][3]));
    if (!body[j]) {
      notes.push_back(fmt::format(
          "Joint '{}' has no weights and stands outside the skin: no curve joins what hangs on it.", joints[j].name));
    }
  }
  return body;
}

double extent_of(std::span<const glm::dmat4> bind, const std::vector<bool>& body) {
  glm::dvec3 low(std::numeric_limits<double>::infinity());
  glm::dvec3 high(-low);
  for (std::size_t j = 0; j < bind.size(); ++j) {
    if (!body[j]) continue;
    low = glm::min(low, glm::dvec3(bind[j][3]));
    high = glm::max(high, glm::dvec3(bind[j][3]));
  }
  return low.x <= high.x ? glm::distance(low, high) : 0.0;
}

// Joints that stand together become one place; the lowest of them is one without a child among them, that with the most
// weight.
void gather(const Model& model, std::span<const double> weights, std::span<const glm::dmat4> bind,
            const std::vector<bool>& body, double together, Places& result) {
  const std::vector<Joint>& joints = model.skeleton.joints;
  std::vector<bool> has_child_here(joints.size());
  result.of_joint.assign(joints.size(), kNone);
  for (std::uint32_t j = 0; j < joints.size(); ++j) {
    if (!body[j]) continue;
    const glm::dvec3 position(bind[j][3]);
    const std::uint32_t above =
        joints[j].parent < 0 ? kNone : result.of_joint[static_cast<std::size_t>(joints[j].parent)];
    if (above != kNone && glm::distance(position, result.places[above].position) <= together) {
      result.of_joint[j] = above;
      result.places[above].joints.push_back(j);
      has_child_here[static_cast<std::size_t>(joints[j].parent)] = true;
      result.notes.push_back(fmt::format("Joint '{}' stands where '{}' does: they are one place on the curves.",
                                         joints[j].name, name_of(model, result.places[above])));
      continue;
    }
    result.of_joint[j] = static_cast<std::uint32_t>(result.places.size());
    if (above != kNone) result.places[above].children.push_back(result.of_joint[j]);
    result.places.push_back({.joints = {j}, .position = position, .parent = above});
  }
  for (Place& place : result.places) {
    std::uint32_t best = kNone;
    for (const std::uint32_t j : place.joints) {
      if (!has_child_here[j] && (best == kNone || weights[j] > weights[best])) best = j;
    }
    place.lowest = best;
  }
}

// A helper's target: the sibling on whose bone it lies.
struct OnBone {
  std::uint32_t child = kNone;  // the bone ends here
  double at = 0;                // along it, 0 to 1
};

OnBone find_bone(const Places& places, std::uint32_t helper) {
  const Place& place = places.places[helper];
  OnBone best;
  if (place.parent == kNone || !place.children.empty()) return best;
  const Place& parent = places.places[place.parent];
  if (parent.children.size() > kMostSiblings) return best;
  const glm::dvec3 reach = place.position - parent.position;
  double longest = 0;
  for (const std::uint32_t sibling : parent.children) {
    if (sibling == helper) continue;
    const glm::dvec3 bone = places.places[sibling].position - parent.position;
    const double length = glm::length(bone);
    const double at = glm::dot(reach, bone) / (length * length);
    // Longer bones only, of equal ones the first, so that no two helpers lie on each other's.
    const bool longer = length > glm::length(reach) || (length == glm::length(reach) && sibling < helper);
    if (!longer || length <= longest || at <= 0 || glm::length(reach - at * bone) > kBesideBone * length) continue;
    best = {sibling, std::min(at, 1.0)};
    longest = length;
  }
  return best;
}

// Takes place `from` out of the tree: its joints count as those of `to`.
void merge_into(Places& places, std::uint32_t from, std::uint32_t to) {
  for (const std::uint32_t j : places.places[from].joints) {
    places.of_joint[j] = to;
    places.places[to].joints.push_back(j);
  }
  std::ranges::sort(places.places[to].joints);
  places.places[from].joints.clear();
  places.places[from].parent = kNone;
}

// Childless joints on a sibling's bone become places of that bone. Without this, a twist helper would make a
// bifurcation of an elbow, and a curve would run down the forearm and up again.
void thread_helpers(const Model& model, Places& places) {
  const auto count = static_cast<std::uint32_t>(places.places.size());
  std::vector<OnBone> bones(count);
  for (std::uint32_t p = 0; p < count; ++p) bones[p] = find_bone(places, p);
  std::vector<std::vector<std::uint32_t>> helpers(count);  // of each bone, by its lower end
  for (std::uint32_t p = 0; p < count; ++p) {
    std::uint32_t child = bones[p].child;
    if (child == kNone) continue;
    while (bones[child].child != kNone) child = bones[child].child;  // a helper on a helper's: bones get longer
    helpers[child].push_back(p);
    std::erase(places.places[places.places[p].parent].children, p);
  }
  for (std::uint32_t child = 0; child < count; ++child) {
    if (helpers[child].empty()) continue;
    const std::uint32_t top = places.places[child].parent;
    const glm::dvec3 start = places.places[top].position;
    const glm::dvec3 bone = places.places[child].position - start;
    const auto along = [&](std::uint32_t p) {
      return std::clamp(glm::dot(places.places[p].position - start, bone) / glm::dot(bone, bone), 0.0, 1.0);
    };
    std::ranges::stable_sort(helpers[child], {}, along);
    std::uint32_t above = top;
    double reached = 0;
    for (const std::uint32_t helper : helpers[child]) {
      const double at = along(helper);
      places.notes.push_back(fmt::format("Joint '{}' lies on the bone from '{}' to '{}' and is part of it.",
                                         name_of(model, places.places[helper]), name_of(model, places.places[top]),
                                         name_of(model, places.places[child])));
      if (at - reached < kAtBoneEnd || 1 - at < kAtBoneEnd) {
        merge_into(places, helper, 1 - at < kAtBoneEnd ? child : above);
        continue;
      }
      places.places[helper].position = start + at * bone;
      places.places[helper].parent = above;
      std::ranges::replace(places.places[above].children, child, helper);
      places.places[helper].children = {child};
      places.places[child].parent = helper;
      above = helper;
      reached = at;
    }
  }
}

void drop_merged(Places& places) {
  std::vector<std::uint32_t> now(places.places.size(), kNone);
  std::vector<Place> kept;
  for (std::uint32_t p = 0; p < places.places.size(); ++p) {
    if (places.places[p].joints.empty()) continue;
    now[p] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(places.places[p]));
  }
  for (Place& place : kept) {
    if (place.parent != kNone) place.parent = now[place.parent];
    for (std::uint32_t& child : place.children) child = now[child];
  }
  for (std::uint32_t& p : places.of_joint) {
    if (p != kNone) p = now[p];
  }
  places.places = std::move(kept);
}

// ---------------------------------------------------------------------------------------------------------------- tips

struct SkinPoint {
  glm::dvec3 position;
  double weight;
};

// The vertices that follow each childless place, by the weights of its joints together.
std::vector<std::vector<SkinPoint>> skin_of_ends(const Model& model, std::span<const Mesh* const> skins,
                                                 const Places& places) {
  std::vector<std::vector<SkinPoint>> points(places.places.size());
  std::vector<std::pair<std::uint32_t, double>> sums;
  for (const Mesh* mesh : skins) {
    for (std::size_t v = 0; v < mesh->positions.size(); ++v) {
      sums.clear();
      for (const Influence& influence : mesh->weights.row(v)) {
        if (influence.weight <= 0) continue;
        const std::uint32_t p = places.of_joint[model.bound_joints[influence.index].joint];
        if (!places.places[p].children.empty()) continue;
        const auto found = std::ranges::find(sums, p, &std::pair<std::uint32_t, double>::first);
        if (found == sums.end()) {
          sums.emplace_back(p, static_cast<double>(influence.weight));
        } else {
          found->second += static_cast<double>(influence.weight);
        }
      }
      for (const auto& [p, weight] : sums) points[p].push_back({glm::dvec3(mesh->positions[v]), weight});
    }
  }
  return points;
}

// Towards the middle of the skin, at a right angle to the bone before it at most, so that no curve turns back. Zero
// where neither skin nor bone say.
glm::dvec3 tip_direction(const glm::dvec3& joint, const glm::dvec3& bone, std::span<const SkinPoint> skin) {
  glm::dvec3 centre(0.0);
  double total = 0, reach = 0;
  for (const SkinPoint& point : skin) {
    centre += point.weight * (point.position - joint);
    total += point.weight;
    reach = std::max(reach, glm::distance(point.position, joint));
  }
  centre /= total;
  const bool has_bone = glm::length(bone) > 0;
  const glm::dvec3 along = has_bone ? glm::normalize(bone) : glm::dvec3(0.0);
  // Skin all round the joint says nothing.
  if (glm::length(centre) < 0.1 * reach) return along;
  glm::dvec3 direction = glm::normalize(centre);
  const double ahead = glm::dot(direction, along);
  if (ahead >= 0) return direction;
  direction -= ahead * along;
  return glm::length(direction) < 0.3 ? along : glm::normalize(direction);
}

// An unweighted, childless child that stands about where the skin ends: what exporters call an end node.
std::optional<glm::dvec3> find_end_node(const Places& places, std::span<const glm::dmat4> bind,
                                        std::span<const std::vector<std::uint32_t>> children_of, const Place& place,
                                        const glm::dvec3& direction, double length) {
  std::optional<glm::dvec3> best;
  double farthest = 0.5 * length;
  for (const std::uint32_t j : place.joints) {
    for (const std::uint32_t child : children_of[j]) {
      if (places.of_joint[child] != kNone || !children_of[child].empty()) continue;
      const glm::dvec3 offset = glm::dvec3(bind[child][3]) - place.position;
      const double ahead = glm::dot(offset, direction);
      if (ahead <= farthest || ahead > 1.5 * length || glm::length(offset - ahead * direction) > 0.5 * length) continue;
      best = place.position + offset;
      farthest = ahead;
    }
  }
  return best;
}

void find_tips(const Model& model, std::span<const Mesh* const> skins, std::span<const glm::dmat4> bind,
               double together, Places& places) {
  std::vector<std::vector<std::uint32_t>> children_of(model.skeleton.joints.size());
  for (std::uint32_t j = 0; j < children_of.size(); ++j) {
    const std::int32_t parent = model.skeleton.joints[j].parent;
    if (parent >= 0) children_of[static_cast<std::size_t>(parent)].push_back(j);
  }
  std::vector<std::vector<SkinPoint>> skin_of = skin_of_ends(model, skins, places);
  for (std::size_t p = 0; p < places.places.size(); ++p) {
    Place& place = places.places[p];
    std::vector<SkinPoint>& skin = skin_of[p];
    if (skin.empty()) continue;
    const double most = std::ranges::max(skin, {}, &SkinPoint::weight).weight;
    std::erase_if(skin, [&](const SkinPoint& point) { return point.weight < 0.5 * std::min(1.0, most); });
    const glm::dvec3 bone =
        place.parent == kNone ? glm::dvec3(0.0) : place.position - places.places[place.parent].position;
    const glm::dvec3 direction = tip_direction(place.position, bone, skin);
    double farthest = 0, reach = 0, sum = 0;
    for (const SkinPoint& point : skin) {
      const double ahead = std::max(0.0, glm::dot(point.position - place.position, direction));
      farthest = std::max(farthest, ahead);
      sum += ahead;
      reach = std::max(reach, glm::distance(point.position, place.position));
    }
    // Even skin reaches twice as far as it does on average: what is much longer is a thorn or a thing in a hand.
    const double length = std::max(std::min(farthest, 3 * sum / static_cast<double>(skin.size())), 0.1 * reach);
    if (direction == glm::dvec3(0.0) || length <= together) continue;
    place.tip = find_end_node(places, bind, children_of, place, direction, length)
                    .value_or(place.position + length * direction);
  }
}

}  // namespace

std::vector<const Mesh*> find_skins(const Model& model, std::span<const std::uint32_t> meshes) {
  std::vector<const Mesh*> skins;
  for (const std::uint32_t m : meshes) {
    if (model.meshes[m].weights.row_count() > 0) skins.push_back(&model.meshes[m]);
  }
  if (!skins.empty()) return skins;
  for (const Mesh& mesh : model.meshes) {
    if (mesh.weights.row_count() > 0) skins.push_back(&mesh);
  }
  return skins;
}

Places find_places(const Model& model, std::span<const Mesh* const> skins, std::span<const glm::dmat4> bind) {
  Places result;
  const std::vector<double> weights = joint_weights(model, skins);
  const std::vector<bool> body = find_body(model, skins, weights, bind, result.notes);
  const double together = kTogether * extent_of(bind, body);
  gather(model, weights, bind, body, together, result);
  thread_helpers(model, result);
  drop_merged(result);
  find_tips(model, skins, bind, together, result);
  return result;
}

std::uint32_t turning_joint(const Model& model, const Places& places, std::uint32_t p, std::uint32_t child) {
  const std::int32_t joint = model.skeleton.joints[places.places[child].joints.front()].parent;
  const bool is_here = joint >= 0 && places.of_joint[static_cast<std::size_t>(joint)] == p;
  return is_here ? static_cast<std::uint32_t>(joint) : places.places[p].lowest;
}

}  // namespace pelt::curve_skeleton
