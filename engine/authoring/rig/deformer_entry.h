// SPDX-License-Identifier: MIT
// The entry of a deformer in the list of deformers: its name, parameters, bind function and behaviour under a rig's
// rules.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <pelt/deformer_parameters.h>
#include <pelt/result.h>

namespace pelt {

class Character;
struct DeformerInput;
struct LayerEdit;
struct MeshBinding;

// Treatment, by a layer over *, of parts of a mesh that follow a single joint (eyes, teeth, a helmet).
enum class RigidParts {
  kMoved,         // moves them; they stay rigid
  kLeftAsMeshes,  // whole meshes of them fall back to linear blend, since the deformer cannot share a mesh
  kLeft,          // they fall back to linear blend, since the deformer would mix them with their surroundings
};

// Pieces under a layer over * that fall back to linear blend because they move as painted or as one piece.
enum class PaintedPieces {
  kNone,
  kHeads,         // skin of facial joints (patch_joints) and of heads (RigidRegions::is_head)
  kRigidRegions,  // the same, and rigid regions (chain/rigid_regions.h)
};

struct DeformerEntry {
  DeformerParameters defaults;
  Result<std::vector<MeshBinding>> (*bind)(const DeformerParameters&, const DeformerInput&);
  // Returns the treatment of rigid parts under a layer over *. nullptr: it moves them.
  RigidParts (*rigid_parts)(const DeformerParameters&) = nullptr;
  // Returns the pieces under a layer over * that fall back to linear blend. nullptr: none.
  PaintedPieces (*leaves)(const DeformerParameters&) = nullptr;
  // Returns true if bind makes a surface from the skin to carry it, which needs skin with area. nullptr: false.
  bool (*makes_surface)(const DeformerParameters&) = nullptr;
  // Returns true if defects may fall back to linear blend; false if an artist sculpted the layer or the deformer cannot
  // be mixed with another one. nullptr: false.
  bool (*may_fall_back)(const DeformerParameters&) = nullptr;
  // Returns true if the layer spreads twists along bones. Skin that it leaves to linear blend does so, too. nullptr:
  // false.
  bool (*spreads_twists)(const DeformerParameters&) = nullptr;
  // Returns the character with points moved by the edit, the same as bind would make. None: the edit also changes
  // something that needs another bind. nullptr: always none.
  std::optional<Character> (*move_bound)(const LayerEdit&) = nullptr;

  std::string_view name() const { return defaults.name(); }
};

// Returns the same treatment for any parameters.
template <RigidParts parts>
RigidParts rigid_parts_are(const DeformerParameters&) {
  return parts;
}

// Adapts a deformer's own bind function to `bind` of an entry.
template <class P, Result<std::vector<MeshBinding>> (*bind)(const P&, const DeformerInput&)>
Result<std::vector<MeshBinding>> bind_as(const DeformerParameters& parameters, const DeformerInput& input) {
  return bind(parameters.get<P>(), input);
}

// The deformers, in the order of engine/authoring/bind/deformers.list.
std::span<const DeformerEntry> deformers();

// Returns the deformer's entry. Precondition: the parameters are of a deformer.
const DeformerEntry& deformer_entry(const DeformerParameters& parameters);

// Returns true if defects of a deformer may fall back to linear blend.
bool may_fall_back(const DeformerParameters& deformer);

}  // namespace pelt
