// SPDX-License-Identifier: MIT
// The entry of a deformer in the list of deformers: its name, parameters and bind function, and its answers to the
// rules of rigs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/deformer_parameters.h>
#include <pelt/result.h>

namespace pelt {

class Character;
struct DeformerInput;
struct LayerEdit;
struct MeshBinding;

// The treatment by a layer over * of parts of a mesh that follow one joint alone (eyes, teeth, a helmet).
enum class RigidParts {
  kMoved,         // moves them, which keeps them rigid
  kLeftAsMeshes,  // leaves whole meshes of them to linear blend, since it cannot share a mesh
  kLeft,          // leaves them to linear blend, since it would mix them with their surroundings
};

// Pieces that a layer over * leaves to linear blend because they move as painted or as one piece.
enum class LeftPieces {
  kNone,
  kFaces,  // skin that follows joints of a face (patch_joints) and the joints that carry these
  kCores,  // the same, and skin that moves as one piece (core_joints)
};

struct DeformerEntry {
  DeformerParameters defaults;
  Result<std::vector<MeshBinding>> (*bind)(const DeformerParameters&, const DeformerInput&);
  // Returns what a layer over * does with rigid parts. nullptr: it moves them.
  RigidParts (*rigid_parts)(const DeformerParameters&) = nullptr;
  // Returns the pieces that a layer over * leaves to linear blend. nullptr: none.
  LeftPieces (*leaves)(const DeformerParameters&) = nullptr;
  // Returns true if bind makes a surface of the skin to carry it, which a skin without area does not have. nullptr:
  // false.
  bool (*makes_surface)(const DeformerParameters&) = nullptr;
  // Returns true if linear blend may take over where the deformer does worse; false if an artist sculpted the layer or
  // it cannot be mixed with another deformer. nullptr: false.
  bool (*gives_way)(const DeformerParameters&) = nullptr;
  // Returns the character with points moved as the edit has them, the same as bind would make it. None: the edit
  // changes more than what moves points after bind. nullptr: nothing does.
  std::optional<Character> (*move_bound)(const LayerEdit&) = nullptr;

  std::string_view name() const { return defaults.name(); }
};

// Returns the same of rigid parts, whatever the parameters.
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

// Returns true if linear blend may take over from a deformer where the deformer does worse.
bool gives_way(const DeformerParameters& deformer);

}  // namespace pelt
