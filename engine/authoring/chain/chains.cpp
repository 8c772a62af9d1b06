// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/chains.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <pelt/try.h>

#include "engine/authoring/base/not_found.h"
#include "engine/authoring/chain/joint_clusters.h"
#include "engine/authoring/chain/linkages.h"
#include "engine/authoring/model/affine.h"
#include "engine/authoring/model/find_named.h"
#include "engine/authoring/model/unique_names.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/character/base/invalid.h"
#include "engine/character/model/skeleton_walk.h"
#include "shaders/chain/chain.h"

namespace pelt::chain {
namespace {

// Appends an anchor. If its position equals that of the last one, which rounding to float can cause far from the
// origin, keeps one anchor, with the joint lower in the skeleton.
void append(std::vector<Anchor>& anchors, std::uint32_t joint, const glm::dvec3& position) {
  const glm::vec3 rounded(position);
  if (!anchors.empty() && anchors.back().position == rounded) {
    anchors.back().joint = std::max(anchors.back().joint, joint);
    return;
  }
  anchors.push_back({joint, rounded});
}

// Finds the curves and writes the report on them.
class Finder {
 public:
  Finder(const Model& model, std::span<const std::uint32_t> meshes, const ChainOptions& options)
      : model_(model),
        options_(options),
        bind_(matrices_at_bind(model, meshes)),
        depth_(depths_of_joints(model.skeleton)) {
    tree_ = find_joint_clusters(model, find_skins(model, meshes), bind_);
    result_.notes = tree_.notes;
  }

  Result<Chains> find() {
    PELT_ASSIGN(auto split, find_split());
    if (options_.automatic) add_automatic(split);
    PELT_TRY(remove());
    PELT_TRY(add_named());
    if (result_.chains.empty()) {
      return invalid(
          "no curve can be laid on the skeleton: no two joints that count are parent and child, and no skin "
          "follows a single joint; curves that name their joints need no parents");
    }
    report();
    return std::move(result_);
  }

 private:
  const std::string& name_of(std::uint32_t joint) const { return model_.skeleton.joints[joint].name; }

  Result<std::vector<bool>> find_split() {
    std::vector<bool> split(tree_.clusters.size());
    for (const std::string& name : options_.split) {
      PELT_ASSIGN(const auto joint, find_joint(model_.skeleton, name, "split"));
      const std::uint32_t place = tree_.of_joint[joint];
      if (place == kNone) {
        result_.notes.push_back(fmt::format("No automatic curve runs through joint '{}' of 'split'.", name));
      } else {
        split[place] = true;
      }
    }
    return split;
  }

  // Returns the joint that carries position i of a path: the one that turns the bone below. If the path goes down on
  // both sides, this is the lowest joint there that is above both bones; of two siblings, the first.
  std::uint32_t carrier(const Path& path, std::size_t i) const {
    std::optional<std::uint32_t> joint;
    for (const std::size_t next : {i - 1, i + 1}) {  // at the front, i - 1 wraps round to an index beyond the end
      if (next >= path.size() || tree_.clusters[path[next]].parent != path[i]) continue;
      std::uint32_t other = turning_joint(model_, tree_, path[i], path[next]);
      while (joint && *joint != other) {
        std::uint32_t& later = *joint > other ? *joint : other;
        const auto parent = model_.skeleton.parent_of(later);
        const bool is_here = parent && tree_.of_joint[*parent] == path[i];
        later = is_here ? *parent : std::min(*joint, other);  // siblings
      }
      joint = other;
    }
    return joint.value_or(tree_.clusters[path[i]].lowest);
  }

  void add_automatic(const std::vector<bool>& split) {
    UniqueNames names;
    std::vector<Chain> chains;
    for (Path path : find_paths(model_, tree_, split, result_.notes)) {
      const auto first_joint = [&](std::uint32_t p) { return tree_.clusters[p].first_joint(); };
      const bool runs_down = tree_.clusters[path.back()].parent != kNone &&
                             (path.size() == 1 || tree_.clusters[path.back()].parent == path[path.size() - 2]);
      const bool runs_up = path.size() > 1 && tree_.clusters[path.front()].parent == path[1];
      if (runs_up && (!runs_down || first_joint(path.back()) < first_joint(path.front()))) std::ranges::reverse(path);
      Chain chain = lay_along(path);
      if (chain.anchors.size() >= 2) chains.push_back(std::move(chain));
    }
    std::ranges::stable_sort(chains, {}, [](const Chain& chain) {
      return std::tuple(chain.anchors[chain.top].joint, chain.anchors.front().joint, chain.anchors.back().joint);
    });
    for (Chain& chain : chains) {
      const std::string& first = name_of(chain.anchors.front().joint);
      const std::string& last = name_of(chain.anchors.back().joint);
      chain.name = names.claim(first == last ? first : first + ".." + last);
      result_.chains.push_back(std::move(chain));
    }
  }

  Chain lay_along(const Path& path) const {
    Chain chain;
    if (const auto& tip = tree_.clusters[path.front()].tip; tip && path.size() > 1) {
      append(chain.anchors, carrier(path, 0), *tip);
    }
    for (std::size_t i = 0; i < path.size(); ++i) {
      append(chain.anchors, carrier(path, i), tree_.clusters[path[i]].position);
      const std::uint32_t parent = tree_.clusters[path[i]].parent;
      const bool is_top = (i == 0 || path[i - 1] != parent) && (i + 1 == path.size() || path[i + 1] != parent);
      if (is_top) chain.top = chain.anchors.size() - 1;
    }
    if (const auto& tip = tree_.clusters[path.back()].tip) append(chain.anchors, carrier(path, path.size() - 1), *tip);
    for (std::size_t a = 1; a + 1 < chain.anchors.size(); ++a) {
      const std::uint32_t place = tree_.of_joint[chain.anchors[a].joint];
      chain.anchors[a].is_branch = place != kNone && tree_.clusters[place].link_count() > 2;
      if (chain.anchors[a].is_branch) straighten(chain.anchors, a);
    }
    return chain;
  }

  // Moves the anchor of a branch to the nearest point of the straight line between its neighbours, unless that bends
  // the curve more sharply (the paper's displaced curve). A joint at a branch may be far from that line: collar bones
  // may begin far above the joint of the chest. The anchor still moves with its joint.
  static void straighten(std::vector<Anchor>& anchors, std::size_t hub) {
    const auto sharpest = [&] {
      double least = 1;  // cosine
      for (std::size_t a = std::max<std::size_t>(hub, 2) - 1; a <= hub + 1 && a + 1 < anchors.size(); ++a) {
        const glm::dvec3 coming = glm::dvec3(anchors[a].position) - glm::dvec3(anchors[a - 1].position);
        const glm::dvec3 going = glm::dvec3(anchors[a + 1].position) - glm::dvec3(anchors[a].position);
        least = std::min(least, glm::dot(glm::normalize(coming), glm::normalize(going)));
      }
      return least;
    };
    const glm::dvec3 from(anchors[hub - 1].position);
    const glm::dvec3 way = glm::dvec3(anchors[hub + 1].position) - from;
    const glm::vec3 original = anchors[hub].position;
    const double before = sharpest();
    if (!(glm::dot(way, way) > 0)) return;
    constexpr double kFromEnd = 0.1;  // fraction of the line
    const double at = glm::dot(glm::dvec3(original) - from, way) / glm::dot(way, way);
    anchors[hub].position = glm::vec3(from + std::clamp(at, kFromEnd, 1 - kFromEnd) * way);
    if (!(sharpest() > before)) anchors[hub].position = original;
  }

  Result<void> remove() {
    for (const std::string& name : options_.remove) {
      if (std::ranges::find(result_.chains, name, &Chain::name) != result_.chains.end()) continue;
      return not_found("remove", "curve", name, result_.chains, &Chain::name);
    }
    const std::unordered_set<std::string> removed(options_.remove.begin(), options_.remove.end());
    std::erase_if(result_.chains, [&](const Chain& chain) { return removed.contains(chain.name); });
    return {};
  }

  Result<void> add_named() {
    std::unordered_map<std::string, std::size_t> automatic;
    for (std::size_t c = 0; c < result_.chains.size(); ++c) automatic.emplace(result_.chains[c].name, c);
    std::unordered_set<std::string> names;
    for (const ChainOptions::Named& named : options_.curves) {
      if (named.name.empty()) return invalid("a curve has no name");
      if (!names.insert(named.name).second) {
        return invalid("two curves are named '{}'", named.name);
      }
      PELT_ASSIGN(auto chain, lay_named(named));
      if (const auto replaced = automatic.find(named.name); replaced != automatic.end()) {
        result_.chains[replaced->second] = std::move(chain);
      } else {
        result_.chains.push_back(std::move(chain));
      }
    }
    return {};
  }

  Result<Chain> lay_named(const ChainOptions::Named& named) const {
    const std::string what = fmt::format("curve '{}'", named.name);
    if (!is_near(named.offset)) {
      return invalid("{}: its offset must be finite and at most {:g} m", what, kMaxCoordinate);
    }
    std::vector<std::uint32_t> joints;
    for (const std::string& name : named.joints) {
      PELT_ASSIGN(const auto joint, find_joint(model_.skeleton, name, what));
      if (std::ranges::find(joints, joint) != joints.end()) {
        return invalid("{} has the joint '{}' twice", what, name);
      }
      joints.push_back(joint);
    }
    Chain chain{.name = named.name};
    const glm::dvec3 offset(named.offset);
    const auto tip_of = [&](std::uint32_t joint) -> std::optional<glm::dvec3> {
      const std::uint32_t place = tree_.of_joint[joint];
      return place == kNone ? std::nullopt : tree_.clusters[place].tip;
    };
    bool begins_at_tip = false;  // false for a tip that rounds to the position of its joint
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const auto tip = tip_of(joints[i]);
      if (tip && i == 0 && joints.size() > 1) append(chain.anchors, joints[i], *tip + offset);
      append(chain.anchors, joints[i], glm::dvec3(bind_[joints[i]][3]) + offset);
      if (i == 0) begins_at_tip = chain.anchors.size() > 1;
      if (tip && i + 1 == joints.size()) append(chain.anchors, joints[i], *tip + offset);
    }
    if (chain.anchors.size() < 2) {
      return invalid("{} needs joints at two or more different positions", what);
    }
    // If the first anchor is a tip, the top is its joint: the next anchor, just as deep.
    const auto depth = [&](const Anchor& anchor) { return depth_[anchor.joint]; };
    const auto top = std::ranges::min_element(chain.anchors, {}, depth);
    chain.top = static_cast<std::size_t>(top - chain.anchors.begin());
    if (chain.top == 0 && begins_at_tip) chain.top = 1;
    return chain;
  }

  void report() {
    std::vector<std::vector<std::size_t>> of_cluster(tree_.clusters.size());
    // Curves through each joint that is not in `tree_`.
    std::vector<std::vector<std::size_t>> of_other(model_.skeleton.joints.size());
    std::vector<std::size_t> links(model_.skeleton.joints.size(), 0);  // largest number per joint on a curve
    for (std::size_t c = 0; c < result_.chains.size(); ++c) {
      const std::vector<Anchor>& anchors = result_.chains[c].anchors;
      for (std::size_t a = 0; a < anchors.size(); ++a) {
        const std::uint32_t joint = anchors[a].joint;
        const std::uint32_t place = tree_.of_joint[joint];
        std::vector<std::size_t>& curves = place == kNone ? of_other[joint] : of_cluster[place];
        if (curves.empty() || curves.back() != c) curves.push_back(c);
        links[joint] = std::max<std::size_t>(links[joint], a > 0 && a + 1 < anchors.size() ? 2 : 1);
      }
    }
    for (std::uint32_t j = 0; j < tree_.of_joint.size(); ++j) {
      const std::uint32_t place = tree_.of_joint[j];
      if (place == kNone && of_other[j].empty()) continue;
      const std::size_t count = place == kNone ? links[j] : tree_.clusters[place].link_count();
      const Linkage linkage = count <= 1 ? Linkage::kEnd : static_cast<Linkage>(std::min<std::size_t>(count, 5) - 1);
      result_.joints.push_back({j, linkage, place == kNone ? of_other[j] : of_cluster[place]});
      if (result_.joints.back().curves.empty()) {
        result_.notes.push_back(fmt::format("No curve runs through joint '{}'.", name_of(j)));
      }
    }
  }

  const Model& model_;
  const ChainOptions& options_;
  std::vector<glm::dmat4> bind_;
  std::vector<std::uint32_t> depth_;  // number of joints above each joint
  JointClusters tree_;
  Chains result_;
};

}  // namespace

glm::dvec3 direction_away(const Chain& chain, std::size_t i) {
  const std::size_t last = chain.anchors.size() - 1;
  const bool along = i > chain.top || (i == chain.top && i < last);  // the chain runs away from its top here
  std::size_t from = i;
  if (along && i == last) from = i - 1;
  if (!along && i == 0) from = 1;
  const std::size_t to = along ? from + 1 : from - 1;
  return glm::normalize(glm::dvec3(chain.anchors[to].position) - glm::dvec3(chain.anchors[from].position));
}

bool is_tip(const Chain& chain, std::size_t i) {
  const std::size_t last = chain.anchors.size() - 1;
  return (i == 0 || i == last) && chain.anchors[i].joint == chain.anchors[i == 0 ? 1 : last - 1].joint;
}

Result<void> check_length(const Chain& chain, const std::string& what) {
  if (chain.anchors.size() <= shared::kMaxAnchors) return {};
  return fail(ErrorCode::kUnsupported, fmt::format("{}: the curve '{}' has {} joints, more than {}; split it", what,
                                                   chain.name, chain.anchors.size(), shared::kMaxAnchors));
}

Result<Chains> find_chains(const Model& model, std::span<const std::uint32_t> meshes, const ChainOptions& options) {
  return Finder(model, meshes, options).find();
}

std::vector<glm::dmat4> matrices_at_bind(const Model& model, std::span<const std::uint32_t> meshes) {
  const std::vector<Joint>& joints = model.skeleton.joints;
  std::vector<bool> used(model.bound_joints.size());
  for (const Mesh* mesh : find_skins(model, meshes)) {
    for (const Influence& influence : mesh->weights.influences) {
      if (influence.weight > 0) used[influence.index] = true;
    }
  }
  // Exporters may write the same matrix for all joints that no weights use. It means nothing.
  const auto bytes_of = [](const BoundJoint& bound) {
    return std::string_view(reinterpret_cast<const char*>(&bound.inverse_bind), sizeof(bound.inverse_bind));
  };
  std::unordered_map<std::string_view, std::uint32_t> joint_of;  // kNone: several joints have this matrix
  for (const BoundJoint& bound : model.bound_joints) {
    std::uint32_t& joint = joint_of.try_emplace(bytes_of(bound), bound.joint).first->second;
    if (joint != bound.joint) joint = kNone;
  }
  std::vector<glm::dmat4> matrices(joints.size());
  std::vector<bool> known(joints.size());
  for (const bool want_used : {true, false}) {
    for (std::size_t b = 0; b < used.size(); ++b) {
      const glm::dmat4 inverse(model.bound_joints[b].inverse_bind);
      const std::uint32_t joint = model.bound_joints[b].joint;
      if (used[b] != want_used || known[joint]) continue;
      if (!want_used && joint_of.at(bytes_of(model.bound_joints[b])) == kNone) continue;
      if (!is_invertible(inverse)) continue;
      matrices[joint] = glm::inverse(inverse);
      known[joint] = is_near_frame(matrices[joint]);
    }
  }
  const auto local = [&](std::size_t j) {
    return joints[j].matrix ? glm::dmat4(*joints[j].matrix) : to_matrix(joints[j].rest);
  };
  // A joint without a matrix takes it from the child that is nearest in the rest pose: control joints often have the
  // position of the joint that they move.
  std::vector<std::uint32_t> nearest(joints.size(), kNone);
  std::vector<double> distance(joints.size(), std::numeric_limits<double>::infinity());
  for (std::size_t j = joints.size(); j-- > 0;) {
    if (!known[j] && nearest[j] != kNone) {
      matrices[j] = matrices[nearest[j]] * glm::inverse(local(nearest[j]));
      known[j] = is_near_frame(matrices[j]);
    }
    const auto parent = model.skeleton.parent_of(j);
    if (!known[j] || !parent) continue;
    const glm::dmat4 from_parent = local(j);
    const double length = glm::length(glm::dvec3(from_parent[3]));
    if (!is_invertible(from_parent) || !(length < distance[*parent])) continue;
    nearest[*parent] = static_cast<std::uint32_t>(j);
    distance[*parent] = length;
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (known[j]) continue;
    const auto parent = model.skeleton.parent_of(j);
    const glm::dmat4 above = parent ? matrices[*parent] : glm::dmat4(1.0);
    matrices[j] = above * local(j);
    if (!is_near_frame(matrices[j])) matrices[j] = above;
  }
  return matrices;
}

}  // namespace pelt::chain
