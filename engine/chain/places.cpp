// SPDX-License-Identifier: MIT
#include "engine/chain/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <limits>
#include <utility>

#include "engine/rig/joint_roles.h"

namespace pelt::chain {
namespace {

// Joints closer than this fraction of the extent of the skeleton stand together.
constexpr double kTogether = 1e-6;
// Fractions of the length of a bone: how far from it a twist helper may stand, and how close to an end a helper merges
// with that end.
constexpr double kBesideBone = 0.05;
constexpr double kAtBoneEnd = 0.02;
// Bounds on work that grows with the square of what a file says: real skeletons stay far below.
constexpr std::size_t kMaxSiblings = 64;
constexpr std::size_t kMaxBeside = 256;  // joints of a face
constexpr int kMaxEnclosureTests = 16;

const std::string& name_of(const Model& model, const Place& place) {
  return model.skeleton.joints[place.joints.front()].name;
}

// Returns the sum of the weights of each joint. Without skins it is 1 for each joint that counts.
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

// Returns true if the surfaces enclose the point, by its winding number (the sum of solid angles over 4 pi), which
// holes change little. Meshes without triangles enclose everything.
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

// Returns true for the joints with weights and those between them, but not for the joints of a face.
std::vector<bool> find_body(const Model& model, std::span<const Mesh* const> skins, std::span<const double> weights,
                            std::span<const glm::dmat4> bind, std::vector<std::string>& notes) {
  const std::vector<Joint>& joints = model.skeleton.joints;
  const std::vector<bool> is_patch = patch_joints(model.skeleton);
  std::vector<bool> leads(joints.size());  // true if the joint or one below it has weights
  std::vector<std::uint32_t> branches(joints.size(), 0);
  for (std::size_t j = joints.size(); j-- > 0;) {
    leads[j] = (weights[j] > 0 && !is_patch[j]) || branches[j] > 0;
    if (leads[j] && joints[j].parent >= 0) ++branches[static_cast<std::size_t>(joints[j].parent)];
  }
  std::vector<bool> body(joints.size());
  int tests = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const bool below = joints[j].parent >= 0 && body[static_cast<std::size_t>(joints[j].parent)];
    if (is_patch[j]) continue;
    body[j] = weights[j] > 0 || (leads[j] && below);
    if (body[j] || branches[j] < 2) continue;
    body[j] = tests++ < kMaxEnclosureTests && encloses(skins, glm::dvec3(bind[j][3]));
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

// Returns the place at `position` among `above` and its children, or kNone.
std::uint32_t find_same(const Places& places, std::uint32_t above, const glm::dvec3& position, double together) {
  const auto is_same = [&](std::uint32_t p) { return glm::distance(position, places.places[p].position) <= together; };
  if (is_same(above)) return above;
  const std::vector<std::uint32_t>& siblings = places.places[above].children;
  if (siblings.size() > kMaxSiblings) return kNone;
  const auto found = std::ranges::find_if(siblings, is_same);
  return found == siblings.end() ? kNone : *found;
}

// Makes joints that stand together one place. Of its joints that have no child in the place, the one with the most
// weight is the lowest.
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
    const std::uint32_t same = above == kNone ? kNone : find_same(result, above, position, together);
    if (same != kNone) {
      result.of_joint[j] = same;
      result.places[same].joints.push_back(j);
      if (same == above) has_child_here[static_cast<std::size_t>(joints[j].parent)] = true;
      result.notes.push_back(fmt::format("Joint '{}' stands where '{}' does: they are one place on the curves.",
                                         joints[j].name, name_of(model, result.places[same])));
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

// The bone that a twist helper lies on, given by the place at its lower end; kNone if there is none.
struct OnBone {
  std::uint32_t child = kNone;
  double length = 0;
};

// Returns the helper `first` and those below it, since helpers may hang on each other; nothing if their row branches.
std::vector<std::uint32_t> helpers_from(const Places& places, std::uint32_t first) {
  std::vector<std::uint32_t> helpers{first};
  while (!places.places[helpers.back()].children.empty()) {
    if (places.places[helpers.back()].children.size() > 1 || helpers.size() == kMaxSiblings) return {};
    helpers.push_back(places.places[helpers.back()].children.front());
  }
  return helpers;
}

OnBone find_bone(const Places& places, std::uint32_t first) {
  OnBone best;
  const std::uint32_t top = places.places[first].parent;
  if (top == kNone || places.places[top].children.size() > kMaxSiblings) return best;
  const std::vector<std::uint32_t> helpers = helpers_from(places, first);
  const glm::dvec3 start = places.places[top].position;
  const auto lies_on = [&](const glm::dvec3& bone) {
    double reached = 0;
    for (const std::uint32_t helper : helpers) {
      const glm::dvec3 point = places.places[helper].position - start;
      const double at = glm::dot(point, bone) / glm::dot(bone, bone);
      if (at <= reached || glm::length(point - at * bone) > kBesideBone * glm::length(bone)) return false;
      reached = at;
    }
    return !helpers.empty();
  };
  const double reach = helpers.empty() ? 0.0 : glm::distance(places.places[helpers.back()].position, start);
  for (const std::uint32_t sibling : places.places[top].children) {
    const glm::dvec3 bone = places.places[sibling].position - start;
    const double length = glm::length(bone);
    // Only longer bones count, and of equal ones the first, so that no two helpers lie on each other's bone.
    const bool longer = length > reach || (length == reach && sibling < first);
    if (sibling != first && longer && length > best.length && lies_on(bone)) best = {sibling, length};
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
  places.places[from] = {};
}

// Makes `helpers` places of the bone down to `child`.
void thread_bone(const Model& model, std::span<const std::uint32_t> helpers, std::uint32_t child, Places& places) {
  const std::uint32_t top = places.places[child].parent;
  const glm::dvec3 start = places.places[top].position;
  const glm::dvec3 bone = places.places[child].position - start;
  const auto along = [&](std::uint32_t p) {
    return std::clamp(glm::dot(places.places[p].position - start, bone) / glm::dot(bone, bone), 0.0, 1.0);
  };
  std::vector<std::uint32_t> sorted(helpers.begin(), helpers.end());
  std::ranges::stable_sort(sorted, {}, along);
  std::uint32_t above = top;
  double reached = 0;
  for (const std::uint32_t helper : sorted) {
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

// Makes helpers on a sibling's bone places of that bone. Without this, a twist helper would make a bifurcation of an
// elbow, and a curve would run down the forearm and up again.
void thread_helpers(const Model& model, Places& places) {
  const auto count = static_cast<std::uint32_t>(places.places.size());
  std::vector<OnBone> bones(count);
  for (std::uint32_t p = 0; p < count; ++p) bones[p] = find_bone(places, p);
  std::vector<std::vector<std::uint32_t>> helpers(count);  // helpers on each bone, by the place at its lower end
  for (std::uint32_t p = 0; p < count; ++p) {
    std::uint32_t child = bones[p].child;
    if (child == kNone) continue;
    // The bone may end at a helper itself; each step finds a longer one.
    while (bones[child].child != kNone) child = bones[child].child;
    const std::vector<std::uint32_t> below = helpers_from(places, p);
    helpers[child].insert(helpers[child].end(), below.begin(), below.end());
    std::erase(places.places[places.places[p].parent].children, p);
  }
  for (std::uint32_t child = 0; child < count; ++child) {
    if (!helpers[child].empty()) thread_bone(model, helpers[child], child, places);
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

// Returns the weighted middle of the points. Points that are `from` ahead or less do not count, and the weight rises
// linearly up to `to`: with a sharp bound, rounding would decide how much of a ring of vertices just there counts, and
// pull the middle aside.
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

// Returns the unit of `direction`, turned to at most a right angle to `along`, the bone before, so that no curve turns
// back; `along` itself if little is left. If `along` is zero, nothing is turned.
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
  // Skin all round the joint gives no direction; without a bone before, any is as good.
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

// Returns the offset of an unweighted, childless child that stands about where the skin ends (an end node of
// exporters).
std::optional<glm::dvec3> find_end_node(const Places& places, std::span<const glm::dmat4> bind,
                                        std::span<const std::vector<std::uint32_t>> children_of, const Place& place,
                                        const glm::dvec3& tip) {
  const double length = glm::length(tip);
  const glm::dvec3 direction = tip / length;
  std::optional<glm::dvec3> best;
  double farthest = 0.5 * length;
  for (const std::uint32_t j : place.joints) {
    for (const std::uint32_t child : children_of[j]) {
      if (places.of_joint[child] != kNone || !children_of[child].empty()) continue;
      const glm::dvec3 offset = glm::dvec3(bind[child][3]) - place.position;
      const double ahead = glm::dot(offset, direction);
      if (ahead <= farthest || ahead > 1.5 * length || glm::length(offset - ahead * direction) > 0.5 * length) continue;
      best = offset;
      farthest = ahead;
    }
  }
  return best;
}

// Returns true if all places below `p` stand beside the skin that reaches to `tip`, like eyes and a jaw on a skull.
bool reaches_beyond(const Places& places, std::uint32_t p, const glm::dvec3& tip) {
  const double length = glm::length(tip);
  std::vector<std::uint32_t> below = places.places[p].children;
  for (std::size_t i = 0; i < below.size(); ++i) {
    const Place& place = places.places[below[i]];
    const glm::dvec3 offset = place.position - places.places[p].position;
    if (glm::length(offset) > length || glm::dot(offset, tip) > 0.5 * length * length) return false;
    if (below.size() > kMaxBeside) return false;
    below.insert(below.end(), place.children.begin(), place.children.end());
  }
  return true;
}

// Splits a root place of several joints: if the skin of the upper joints lies behind, these get a place and a bone of
// their own, so that the skin before and behind follows each as painted.
void split_roots(const Model& model, std::span<const Mesh* const> skins, double together, Places& places) {
  for (std::uint32_t p = 0, count = static_cast<std::uint32_t>(places.places.size()); p < count; ++p) {
    if (places.places[p].parent != kNone || places.places[p].joints.size() < 2 ||
        places.places[p].children.size() > 1) {
      continue;
    }
    std::vector<std::uint32_t> upper;
    for (std::int32_t j = model.skeleton.joints[places.places[p].lowest].parent; j >= 0;) {
      if (places.of_joint[static_cast<std::size_t>(j)] == p) upper.push_back(static_cast<std::uint32_t>(j));
      j = model.skeleton.joints[static_cast<std::size_t>(j)].parent;
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
        const glm::dvec3 offset = glm::dvec3(mesh->positions[v]) - places.places[p].position;
        (above > 0.5 * sum ? behind : ahead).push_back({offset, 1});
      }
    }
    if (behind.empty() || ahead.empty()) continue;
    const glm::dvec3 tip = tip_of_skin(behind, glm::dvec3(0.0));
    if (glm::length(tip) <= together || glm::dot(tip, middle(ahead, glm::dvec3(0.0), -1, 0)) >= 0) continue;
    Place& here = places.places[p];
    Place above{.joints = upper, .lowest = upper.back(), .position = here.position + tip, .children = {p}};
    const auto added = static_cast<std::uint32_t>(places.places.size());
    for (const std::uint32_t j : upper) {
      places.of_joint[j] = added;
      std::erase(here.joints, j);
    }
    here.parent = added;
    places.notes.push_back(
        fmt::format("The skin of joint '{}' lies behind '{}', which stands where it does: it gets a "
                    "bone of its own.",
                    model.skeleton.joints[upper.back()].name, name_of(model, here)));
    places.places.push_back(std::move(above));
  }
}

void find_tips(const Model& model, std::span<const Mesh* const> skins, std::span<const glm::dmat4> bind,
               double together, Places& places) {
  std::vector<std::vector<std::uint32_t>> children_of(model.skeleton.joints.size());
  for (std::uint32_t j = 0; j < children_of.size(); ++j) {
    const std::int32_t parent = model.skeleton.joints[j].parent;
    if (parent >= 0) children_of[static_cast<std::size_t>(parent)].push_back(j);
  }
  std::vector<std::vector<SkinPoint>> skin_of = skin_of_places(model, skins, places);
  for (std::uint32_t p = 0; p < skin_of.size(); ++p) {
    const Place& place = places.places[p];
    const bool is_end = place.children.empty();
    std::vector<SkinPoint>& skin = skin_of[p];
    if (skin.empty() || place.children.size() == 1 || (!is_end && place.parent == kNone)) continue;
    const double most = is_end ? std::ranges::max(skin, {}, &SkinPoint::weight).weight : 1.0;
    std::erase_if(skin, [&](const SkinPoint& point) { return point.weight < 0.5 * std::min(1.0, most); });
    if (skin.empty()) continue;
    const glm::dvec3 bone =
        place.parent == kNone ? glm::dvec3(0.0) : place.position - places.places[place.parent].position;
    const glm::dvec3 along = place.parent == kNone ? bone : glm::normalize(bone);
    const glm::dvec3 tip = tip_of_skin(skin, along);
    if (glm::length(tip) <= together) continue;
    if (is_end) {
      places.places[p].tip = place.position + find_end_node(places, bind, children_of, place, tip).value_or(tip);
    } else if (glm::dot(tip, along) > 0.5 * glm::length(tip) && reaches_beyond(places, p, tip)) {
      places.notes.push_back(fmt::format("The skin of joint '{}' reaches beyond all joints below it: it gets a tip.",
                                         name_of(model, place)));
      const auto added = static_cast<std::uint32_t>(places.places.size());
      places.places.push_back({.lowest = place.lowest, .position = place.position + tip, .parent = p});
      places.places[p].children.push_back(added);
    }
  }
}

}  // namespace

std::vector<std::vector<SkinPoint>> skin_of_places(const Model& model, std::span<const Mesh* const> skins,
                                                   const Places& places) {
  std::vector<std::vector<SkinPoint>> points(places.places.size());
  std::vector<std::pair<std::uint32_t, double>> sums;
  for (const Mesh* mesh : skins) {
    for (std::size_t v = 0; v < mesh->positions.size(); ++v) {
      sums.clear();
      for (const Influence& influence : mesh->weights.row(v)) {
        if (influence.weight <= 0) continue;
        std::uint32_t joint = model.bound_joints[influence.index].joint;
        while (places.of_joint[joint] == kNone && model.skeleton.joints[joint].parent >= 0) {
          joint = static_cast<std::uint32_t>(model.skeleton.joints[joint].parent);  // a joint of a face
        }
        const std::uint32_t p = places.of_joint[joint];
        if (p == kNone) continue;
        // If all joints stand together, the skin of the upper ones is behind and does not count.
        if (places.places[p].link_count() == 0 && joint != places.places[p].lowest) continue;
        const auto found = std::ranges::find(sums, p, &std::pair<std::uint32_t, double>::first);
        if (found == sums.end()) {
          sums.emplace_back(p, static_cast<double>(influence.weight));
        } else {
          found->second += static_cast<double>(influence.weight);
        }
      }
      for (const auto& [p, weight] : sums) {
        points[p].push_back({glm::dvec3(mesh->positions[v]) - places.places[p].position, weight});
      }
    }
  }
  return points;
}

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
  split_roots(model, skins, together, result);
  find_tips(model, skins, bind, together, result);
  return result;
}

std::uint32_t turning_joint(const Model& model, const Places& places, std::uint32_t p, std::uint32_t child) {
  if (places.places[child].joints.empty()) return places.places[p].lowest;
  const std::int32_t joint = model.skeleton.joints[places.places[child].joints.front()].parent;
  const bool is_here = joint >= 0 && places.of_joint[static_cast<std::size_t>(joint)] == p;
  return is_here ? static_cast<std::uint32_t>(joint) : places.places[p].lowest;
}

}  // namespace pelt::chain
