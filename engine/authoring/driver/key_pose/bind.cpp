// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/key_pose/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

#include <pelt/try.h>

#include "engine/authoring/base/not_found.h"
#include "engine/character/base/invalid.h"
#include "engine/character/records.h"
#include "engine/character/rows/tilt.h"
#include "shaders/blend/blend.h"
#include "shaders/driver/key_pose/pose.h"
#include "shaders/morph/morph.h"

namespace pelt::key_pose {
namespace {

// The offsets of every vertex, each with the index of its weight.
class Entries {
 public:
  Entries(std::span<const KeyedOffsets> keyed, const Mesh& mesh) : mesh_(mesh), entries_(mesh.positions.size()) {
    for (const KeyedOffsets& some : keyed) add(some);
  }

  bool moves(std::uint32_t v) const { return !entries_[v].empty(); }

  // Returns the first vertex of the first slice with an offset, or none.
  std::optional<std::uint32_t> first_moved() const {
    const auto found = std::ranges::find_if(entries_, [](const auto& entries) { return !entries.empty(); });
    if (found == entries_.end()) return std::nullopt;
    const auto v = static_cast<std::uint32_t>(found - entries_.begin());
    return v - v % shared::kSliceRows;
  }

  // Returns the pass for the vertices from `first` on. `first_entry`: of the weights.
  PalettePass finish(std::uint32_t first, std::uint32_t first_entry) const {
    PalettePass pass;
    pass.kernel = PoseKernel::kKeyPose;
    for (const std::vector<Entry>& entries : std::span(entries_).subspan(first)) {
      ++pass.record_count;
      append_record(pass.records, shared::KeyPoseRecord{static_cast<std::uint32_t>(pass.table.size()),
                                                        static_cast<std::uint32_t>(entries.size())});
      for (const Entry& entry : entries) {
        pass.table.push_back(first_entry * shared::kMorphEntryFloats + entry.place);
        for (const glm::vec3& vector : {entry.offset, entry.tilt}) {
          for (int c = 0; c < 3; ++c) pass.table.push_back(std::bit_cast<std::uint32_t>(vector[c]));
        }
      }
    }
    return pass;
  }

 private:
  struct Entry {
    std::uint32_t place;
    glm::vec3 offset;
    glm::vec3 tilt;
  };

  // Makes the weight move the vertices that have an offset, and tilt those around them, or as the rig turns them.
  void add(const KeyedOffsets& some) {
    if (!surface_) surface_.emplace(mesh_.positions, mesh_.triangles);
    std::vector<glm::vec3> tilt = tilts(*surface_, some.offsets);
    for (std::size_t v = 0; v < some.turns.size(); ++v) {
      tilt[v] = (1 - some.turns[v].w) * tilt[v] + glm::vec3(some.turns[v]);
    }
    for (std::size_t v = 0; v < some.offsets.size(); ++v) {
      if (some.offsets[v] == glm::vec3(0.0f) && tilt[v] == glm::vec3(0.0f)) continue;
      entries_[v].push_back({some.weight, some.offsets[v], tilt[v]});
    }
  }

  const Mesh& mesh_;
  std::optional<SurfaceGradient> surface_;   // of mesh_; made when it is needed
  std::vector<std::vector<Entry>> entries_;  // for each vertex
};

// Returns the offset of every vertex of the source.
Result<std::vector<glm::vec3>> pose_offsets(const KeyPose& pose, const Mesh& source, const std::string& what) {
  PELT_ASSIGN(auto offsets, key_weights::listed_offsets(pose, source, what));
  if (pose.morph_target.empty()) return offsets;
  PELT_ASSIGN(const auto target, key_weights::find_morph_target(source, pose.morph_target, what));
  for (std::size_t v = 0; v < offsets.size(); ++v) offsets[v] += source.morph_targets[target].offsets[v];
  return offsets;
}

// Returns the turns of a pose, carried to the driver; none without.
Result<std::vector<glm::vec4>> pose_turns(const KeyPose& pose, const Mesh& source, const CarryOffsets& carry,
                                          const std::string& what) {
  std::vector<glm::vec4> turns;
  if (pose.turns.empty()) return turns;
  std::vector<glm::vec3> tilts(source.positions.size());
  std::vector<glm::vec3> shares = tilts;
  for (const auto& [vertex, turn] : pose.turns) {
    const float degrees = glm::length(turn);
    if (vertex >= tilts.size()) {
      return invalid("{}: turns vertex {} of the {} of the mesh '{}'", what, vertex, tilts.size(), source.name);
    }
    if (!(degrees < 90)) return invalid("{}: the turn of vertex {} is not less than 90 degrees", what, vertex);
    tilts[vertex] = degrees > 0 ? turn / degrees * std::tan(glm::radians(degrees)) : glm::vec3(0.0f);
    shares[vertex] = glm::vec3(1.0f);
  }
  tilts = carry(tilts);
  shares = carry(shares);
  for (std::size_t v = 0; v < tilts.size(); ++v) turns.emplace_back(tilts[v], shares[v].x);
  return turns;
}

// Returns true if a key pose uses the morph target, which then follows the joints and not a clip.
bool is_keyed(std::span<const KeyPoseSet> key_poses, const std::string& target) {
  for (const KeyPoseSet& set : key_poses) {
    for (const KeyPose& pose : set.poses) {
      if (pose.morph_target == target) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<bool> moved_vertices(std::span<const KeyedOffsets> keyed, const Mesh& mesh) {
  const Entries entries(keyed, mesh);
  std::vector<bool> moved;
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) moved.push_back(entries.moves(v));
  return moved;
}

std::optional<std::uint32_t> add_offsets(key_weights::WeightTable& weights, std::span<const KeyedOffsets> keyed,
                                         const Mesh& mesh, CharacterBuilder& builder) {
  const Entries entries(keyed, mesh);
  const std::optional<std::uint32_t> first = entries.first_moved();
  if (!first) return std::nullopt;
  PalettePass of_weights = weights.finish();
  const std::uint32_t stage = of_weights.stage;
  PalettePass offsets = entries.finish(*first, builder.add_pass(std::move(of_weights)));
  offsets.stage = stage;
  return builder.add_pass(std::move(offsets));
}

Result<std::vector<std::uint32_t>> add_weights(const KeyPoseSet& set, const std::string& mesh, const Model& model,
                                               const std::string& what, CharacterBuilder& builder,
                                               key_weights::WeightTable& weights) {
  if (!set.control.empty() || !set.muscle.empty()) {
    std::vector<float> places;
    for (const KeyPose& pose : set.poses) places.push_back(pose.at);
    if (set.muscle.empty()) {
      return weights.add_hats(weights.value_of(builder.shape_input(mesh, set.control)), places, what);
    }
    const auto& muscles = builder.muscles();
    const auto muscle = muscles.find(set.muscle);
    if (muscle != muscles.end()) return weights.add_hats(weights.value_of(muscle->second), places, what);
    return not_found(what, "muscle", set.muscle, muscles,
                     [](const auto& known) { return std::string_view(known.first); });
  }
  PELT_ASSIGN(auto added, weights.add_keys(set, model, what));
  for (std::uint32_t& key : added) key = weights.add_weight({key});
  return added;
}

Result<std::vector<KeyedOffsets>> find_offsets(std::span<const KeyPoseSet> key_poses, bool morph_targets,
                                               const Mesh& source, const CarryOffsets& carry, const Model& model,
                                               const std::string& what, CharacterBuilder& builder,
                                               key_weights::WeightTable& weights) {
  std::vector<KeyedOffsets> keyed;
  for (std::size_t s = 0; s < key_poses.size(); ++s) {
    const std::string name = fmt::format("{}: key pose set {}", what, s);
    PELT_ASSIGN(const auto added, add_weights(key_poses[s], source.name, model, name, builder, weights));
    for (std::size_t p = 0; p < added.size(); ++p) {
      const std::string which = fmt::format("{}, pose {}", name, p);
      PELT_ASSIGN(const auto offsets, pose_offsets(key_poses[s].poses[p], source, which));
      PELT_ASSIGN(auto turns, pose_turns(key_poses[s].poses[p], source, carry, which));
      keyed.push_back({added[p], carry(offsets), std::move(turns)});
    }
  }
  for (std::uint32_t t = 0; morph_targets && t < source.morph_targets.size(); ++t) {
    const MorphTarget& target = source.morph_targets[t];
    if (is_keyed(key_poses, target.name)) continue;
    const bool is_shape = std::ranges::find(key_poses, target.name, &KeyPoseSet::control) != key_poses.end();
    if (is_shape && !target.name.empty())
      return invalid("{}: the control '{}' has the name of a morph target", what, target.name);
    keyed.push_back(
        {weights.add_weight(builder.weight_keys(source, t, target.weight, weights)), carry(target.offsets)});
  }
  return keyed;
}

}  // namespace pelt::key_pose
