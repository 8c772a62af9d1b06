// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <pelt/mos.h>
#include <pelt/mos_presets.h>
#include <pelt/nearest_name.h>
#include <pelt/tools/joint_names.h>
#include <pelt/tools/joint_roles.h>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/joint_clusters.h"
#include "engine/authoring/model/unique_names.h"
#include "engine/authoring/rig/deformer_entry.h"

namespace pelt {
namespace {

using chain::kNone;

constexpr std::string_view kPresets[] = {"biped", "limb"};

// --------------------------------------------------------------------------------------------------------- the names

// A chain of a body: joints of these roles in order.
struct BodyPart {
  std::string_view name;
  bool sided = false;          // one per side
  std::string_view from = "";  // the part that it starts from, at the nearest joint above it there
  std::size_t from_roles = 0;  // without one: at the last joint of the first so many roles of that part
  std::vector<JointRole> roles;
};

const BodyPart kBiped[] = {
    {.name = "spine",
     .roles = {JointRole::kHips, JointRole::kSpine, JointRole::kChest, JointRole::kNeck, JointRole::kHead}},
    {.name = "arm",
     .sided = true,
     .from = "spine",
     .from_roles = 3,
     .roles = {JointRole::kClavicle, JointRole::kUpperArm, JointRole::kForearm, JointRole::kHand}},
    {.name = "leg",
     .sided = true,
     .from = "spine",
     .from_roles = 1,
     .roles = {JointRole::kThigh, JointRole::kShin, JointRole::kFoot, JointRole::kToes}},
    {.name = "thumb", .sided = true, .from = "arm", .from_roles = 4, .roles = {JointRole::kThumb}},
    {.name = "index",
     .sided = true,
     .from = "arm",
     .from_roles = 4,
     .roles = {JointRole::kIndexMetacarpal, JointRole::kIndex}},
    {.name = "middle",
     .sided = true,
     .from = "arm",
     .from_roles = 4,
     .roles = {JointRole::kMiddleMetacarpal, JointRole::kMiddle}},
    {.name = "ring",
     .sided = true,
     .from = "arm",
     .from_roles = 4,
     .roles = {JointRole::kRingMetacarpal, JointRole::kRing}},
    {.name = "pinky",
     .sided = true,
     .from = "arm",
     .from_roles = 4,
     .roles = {JointRole::kPinkyMetacarpal, JointRole::kPinky}},
};

constexpr std::string_view kLimbs[] = {"left_arm", "right_arm", "left_leg", "right_leg"};

// ----------------------------------------------------------------------------------------------------- the skeleton

// The positions of joints that move skin, as a tree.
class Tree {
 public:
  explicit Tree(const Model& model) : model_(model) {
    std::vector<std::uint32_t> meshes(model.meshes.size());
    std::iota(meshes.begin(), meshes.end(), 0u);
    clusters_ =
        chain::find_joint_clusters(model, chain::find_skins(model, meshes), chain::matrices_at_bind(model, meshes));
    find_movers();
    const std::size_t count = clusters_.clusters.size();
    std::vector<bool> counts(count);
    for (const std::uint32_t joint : movers_) counts[clusters_.of_joint[joint]] = true;
    up_.assign(count, kNone);
    down_.resize(count);
    enter_.resize(count);
    leave_.resize(count);
    std::uint32_t clock = 0;
    // Depth first; a node appears again after all nodes below it.
    std::vector<std::pair<std::uint32_t, bool>> open;
    for (auto p = static_cast<std::uint32_t>(count); p-- > 0;) {
      if (clusters_.clusters[p].parent == kNone) open.emplace_back(p, false);
    }
    while (!open.empty()) {
      const auto [p, done] = open.back();
      open.pop_back();
      if (done) {
        leave_[p] = clock;
        continue;
      }
      enter_[p] = clock++;
      const chain::JointCluster& place = clusters_.clusters[p];
      if (place.parent != kNone) up_[p] = counts[place.parent] ? place.parent : up_[place.parent];
      if (counts[p]) {
        order_.push_back(p);
        if (up_[p] != kNone) down_[up_[p]].push_back(p);
      }
      open.emplace_back(p, true);
      for (std::size_t c = place.children.size(); c-- > 0;) open.emplace_back(place.children[c], false);
    }
  }

  // Returns the joints that move skin and are at a node, ascending.
  const std::vector<std::uint32_t>& movers() const { return movers_; }
  // Returns the joints that move no skin and are at a node between such joints.
  const std::vector<std::uint32_t>& others() const { return others_; }
  // Returns the nodes of joints that move skin, each before those below it.
  const std::vector<std::uint32_t>& order() const { return order_; }
  std::size_t place_count() const { return up_.size(); }

  std::uint32_t cluster_of(std::uint32_t joint) const { return clusters_.of_joint[joint]; }
  std::uint32_t up(std::uint32_t p) const { return up_[p]; }  // kNone at a root
  const std::vector<std::uint32_t>& down(std::uint32_t p) const { return down_[p]; }
  bool is_above(std::uint32_t p, std::uint32_t q) const { return enter_[p] < enter_[q] && enter_[q] < leave_[p]; }

  // Returns the name of the joint that a chain follows at `p` on its way to `next`.
  const std::string& joint_name(std::uint32_t p, std::uint32_t next) const {
    const std::uint32_t joint = next != kNone && is_above(p, next) ? chain::turning_joint(model_, clusters_, p, next)
                                                                   : clusters_.clusters[p].lowest;
    return model_.skeleton.joints[joint].name;
  }

 private:
  void find_movers() {
    const std::size_t count = model_.skeleton.joints.size();
    std::vector<bool> moves(count);
    for (const Mesh& mesh : model_.meshes) {
      for (std::size_t v = 0; v < mesh.weights.row_count(); ++v) {
        for (const Influence& influence : mesh.weights.row(v)) {
          if (influence.weight > 0) moves[model_.bound_joints[influence.index].joint] = true;
        }
      }
    }
    if (std::find(moves.begin(), moves.end(), true) == moves.end()) moves.assign(count, true);
    for (std::uint32_t j = 0; j < count; ++j) {
      if (clusters_.of_joint[j] != kNone) (moves[j] ? movers_ : others_).push_back(j);
    }
  }

  const Model& model_;
  chain::JointClusters clusters_;
  std::vector<std::uint32_t> movers_;
  std::vector<std::uint32_t> others_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> up_;
  std::vector<std::vector<std::uint32_t>> down_;
  std::vector<std::uint32_t> enter_, leave_;  // depth-first times
};

// ----------------------------------------------------------------------------------------------------------- chains

// The nodes of a chain, in order.
struct Way {
  std::string name;  // empty: named by its joints
  std::vector<std::uint32_t> places;
  std::size_t begin = 0;                // index of its first own node; those before belong to its parent chain
  std::vector<std::size_t> roles = {};  // roles of a body part's own nodes
};

class Finder {
 public:
  explicit Finder(const Model& model)
      : tree_(model), names_(parse_joint_names(model.skeleton)), taken_(tree_.place_count()) {}

  void find_biped() {
    for (const BodyPart& part : kBiped) {
      if (!part.sided) add_part(part, Side::kNone, std::string(part.name));
      if (part.sided) add_part(part, Side::kLeft, fmt::format("left_{}", part.name));
      if (part.sided) add_part(part, Side::kRight, fmt::format("right_{}", part.name));
    }
    for (Way& way : ways_) fill(way);
  }

  void find_limbs() {
    for (const std::uint32_t p : tree_.order()) {
      if (tree_.up(p) != kNone && tree_.down(tree_.up(p)).size() == 1) continue;
      Way way = starting_at(p);
      while (tree_.down(way.places.back()).size() == 1) way.places.push_back(tree_.down(way.places.back()).front());
      add(std::move(way));
    }
  }

  // Returns the spine and the limbs of which fewer than two joints were found.
  NameList missing() const {
    NameList names;
    const auto add_missing = [&](std::string_view name) {
      const auto way = std::ranges::find(ways_, name, &Way::name);
      if (way == ways_.end() || way->places.size() - way->begin < 2) names.add(name);
    };
    add_missing("spine");
    std::ranges::for_each(kLimbs, add_missing);
    return names;
  }

  bool has_found() const { return !ways_.empty(); }

  // Adds chains over the nodes that have none.
  void find_rest() {
    for (const std::uint32_t p : tree_.order()) {
      if (taken_[p]) continue;
      Way way = starting_at(p);
      for (bool goes_on = true; goes_on;) {
        const std::vector<std::uint32_t>& down = tree_.down(way.places.back());
        const auto next = std::find_if(down.begin(), down.end(), [&](std::uint32_t q) { return !taken_[q]; });
        goes_on = next != down.end();
        if (goes_on) way.places.push_back(*next);
      }
      // A root above nodes that all have chains extends down to one of them.
      if (way.places.size() == 1 && !tree_.down(p).empty()) way.places.push_back(tree_.down(p).front());
      add(std::move(way));
    }
  }

  std::vector<MosChain> chains() const {
    UniqueNames unique;
    std::vector<MosChain> chains;
    for (const Way& way : ways_) {
      MosChain chain;
      for (std::size_t i = 0; i < way.places.size(); ++i) {
        const std::uint32_t next = i + 1 < way.places.size() ? way.places[i + 1] : kNone;
        chain.joints.push_back(tree_.joint_name(way.places[i], next));
      }
      const std::string& first = chain.joints[way.begin];
      const std::string& last = chain.joints.back();
      chain.name = unique.claim(!way.name.empty() ? way.name : first == last ? first : first + ".." + last);
      chains.push_back(std::move(chain));
    }
    return chains;
  }

 private:
  void add(Way way) {
    if (way.places.size() < 2) return;
    for (const std::uint32_t p : way.places) taken_[p] = true;
    ways_.push_back(std::move(way));
  }

  Way starting_at(std::uint32_t p) const {
    if (tree_.up(p) == kNone) return {.places = {p}};
    return {.places = {tree_.up(p), p}, .begin = 1};
  }

  void add_part(const BodyPart& part, Side side, const std::string& name) {
    Way way{.name = name};
    for (std::size_t role = 0; role < part.roles.size(); ++role) {
      // A torso that moves no skin still shows the start of the arms.
      const std::string_view words = role_words(part.roles[role]);
      if (!append(way, tree_.movers(), words, side, role)) append(way, tree_.others(), words, side, role);
    }
    if (way.places.empty()) return;
    if (const auto start = start_of(part, side, way.places.front())) {
      way.places.insert(way.places.begin(), *start);
      way.begin = 1;
    }
    add(std::move(way));
  }

  // Appends those of `joints` with one of the names; returns false if there are none.
  bool append(Way& way, const std::vector<std::uint32_t>& joints, std::string_view words, Side side,
              std::size_t role) const {
    bool found = false;
    for (const std::uint32_t joint : joints) {
      if (names_[joint].side != side || !holds_word(words, names_[joint].word)) continue;
      append(way, tree_.cluster_of(joint), role);
      found = true;
    }
    return found;
  }

  // Appends a node, unless it has a chain or is next to one with the same role.
  void append(Way& way, std::uint32_t p, std::size_t role) const {
    std::vector<std::uint32_t>& places = way.places;
    if (taken_[p] || std::find(places.begin(), places.end(), p) != places.end()) return;
    if (!places.empty() && way.roles.back() == role && tree_.up(places.back()) == tree_.up(p) && tree_.up(p) != kNone) {
      return;
    }
    // A joint below the way that does not lead on is a helper and is dropped. Joints of rigs without a hierarchy stay.
    while (places.size() >= 2 && !tree_.is_above(places.back(), p) && tree_.is_above(places[places.size() - 2], p)) {
      places.pop_back();
      way.roles.pop_back();
    }
    places.push_back(p);
    way.roles.push_back(role);
  }

  // Returns the node that a part beginning at `first` starts from.
  std::optional<std::uint32_t> start_of(const BodyPart& part, Side side, std::uint32_t first) const {
    const auto from = std::find_if(std::begin(kBiped), std::end(kBiped),
                                   [&](const BodyPart& other) { return other.name == part.from; });
    if (from == std::end(kBiped)) return std::nullopt;
    const std::string name = !from->sided ? std::string(from->name)
                                          : fmt::format("{}_{}", side == Side::kLeft ? "left" : "right", from->name);
    const auto way = std::find_if(ways_.begin(), ways_.end(), [&](const Way& other) { return other.name == name; });
    if (way == ways_.end()) return std::nullopt;
    const auto begin = way->places.begin() + static_cast<std::ptrdiff_t>(way->begin);
    for (std::uint32_t p = tree_.up(first); p != kNone; p = tree_.up(p)) {
      if (std::find(begin, way->places.end(), p) != way->places.end()) return p;
    }
    std::uint32_t last = *begin;
    for (std::size_t i = 0; i < way->roles.size(); ++i) {
      if (way->roles[i] < part.from_roles) last = begin[static_cast<std::ptrdiff_t>(i)];
    }
    return last;
  }

  // Adds the unused nodes between two nodes of a chain to it. A limb begins at the last used node above its own,
  // such as a pelvis next to the spine.
  void fill(Way& way) {
    std::vector<std::uint32_t> filled{way.places.front()};
    for (std::size_t i = 1; i < way.places.size(); ++i) {
      const std::uint32_t above = way.places[i - 1];
      const std::size_t end = filled.size();
      for (std::uint32_t p = tree_.up(way.places[i]); p != kNone && tree_.is_above(above, p); p = tree_.up(p)) {
        if (i <= way.begin && taken_[p] && std::ranges::count(kLimbs, way.name) > 0) {
          filled.front() = p;
          break;
        }
        if (!taken_[p]) filled.insert(filled.begin() + static_cast<std::ptrdiff_t>(end), p);
      }
      for (std::size_t f = end; f < filled.size(); ++f) taken_[filled[f]] = true;
      filled.push_back(way.places[i]);
    }
    way.places = std::move(filled);
  }

  Tree tree_;
  std::vector<JointName> names_;  // parsed names of the joints
  std::vector<bool> taken_;       // true for a node on a chain
  std::vector<Way> ways_;
};

std::string patterns_of(const std::string& preset) {
  std::vector<std::string> patterns;
  if (preset == "biped") {
    for (const BodyPart& part : kBiped) {
      std::vector<std::string_view> words;
      for (const JointRole role : part.roles) words.push_back(role_words(role));
      patterns.push_back(
          fmt::format("{}{}: {}", part.name, part.sided ? " (left, right)" : "", fmt::join(words, ", ")));
    }
  } else {
    patterns.push_back("two joints, one below the other");
  }
  return fmt::format("{}", fmt::join(patterns, "; "));
}

Error nothing_found(const std::string& preset, const Model& model) {
  constexpr std::size_t kMaxNames = 50;
  std::vector<std::string_view> names;
  for (const Joint& joint : model.skeleton.joints) names.push_back(std::string_view(joint.name).substr(0, 64));
  const std::size_t more = names.size() - std::min(names.size(), kMaxNames);
  names.resize(names.size() - more);
  return {
      ErrorCode::kNotFound,
      fmt::format("preset {} finds no chain among the joints that move skin of '{}'. It looks for {}. There are: {}{}",
                  preset, model.name, patterns_of(preset), fmt::join(names, ", "),
                  more == 0 ? std::string() : fmt::format(" and {} more", more))};
}

}  // namespace

std::span<const std::string_view> preset_names() { return kPresets; }

Result<Rig> rig_from_preset(const std::string& preset, const Model& model, std::vector<std::string>* notes) {
  if (std::find(std::begin(kPresets), std::end(kPresets), preset) == std::end(kPresets)) {
    return tl::unexpected(unknown_name("preset", "presets", preset, kPresets));
  }
  Finder finder(model);
  if (preset == "biped") finder.find_biped();
  if (preset == "limb") finder.find_limbs();
  if (!finder.has_found()) return tl::unexpected(nothing_found(preset, model));
  if (const NameList missing = finder.missing(); notes != nullptr && preset == "biped" && !missing.empty()) {
    notes->push_back(fmt::format("preset biped knows too few joints by name for {}", missing.text()));
  }
  finder.find_rest();
  MosParameters mos;
  mos.automatic = false;
  mos.chains = finder.chains();
  Rig rig;
  rig.name = preset;
  rig.layers = {Layer{.deformer = std::move(mos)}};
  return rig;
}

}  // namespace pelt
