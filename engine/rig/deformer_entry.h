// SPDX-License-Identifier: MIT
// What a deformer gives to be one: its name and parameters, how it binds, and what the rules of rigs ask of it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <pelt/deformer_parameters.h>
#include <pelt/result.h>

namespace pelt {

struct DeformerInput;
struct DriverParameters;
struct MeshBinding;

// What a layer over * does at parts of a mesh that follow one joint alone (eyes, teeth, a helmet).
enum class RigidParts {
  kMoved,         // moves them rigidly as it is
  kLeftAsMeshes,  // leaves whole meshes of them to linear blend, since it cannot share a mesh
  kLeft,          // leaves them to linear blend: it would mix them with what surrounds them
};

// What moves as it is painted or as one piece, as far as it does.
enum class LeftPieces {
  kNone,
  kFaces,  // what follows the joints of a face (patch_joints) and those that these hang on
  kCores,  // that, and what else moves as one piece (core_joints)
};

struct DeformerEntry {
  DeformerParameters defaults;
  Result<std::vector<MeshBinding>> (*bind)(const DeformerParameters&, const DeformerInput&);
  RigidParts rigid_parts = RigidParts::kMoved;
  // What a layer over * leaves to linear blend. nullptr: nothing.
  LeftPieces (*leaves)(const DeformerParameters&) = nullptr;
  // The control mesh that carries the skin. nullptr: the deformer has none.
  DriverParameters* (*driver)(DeformerParameters&) = nullptr;
  // How many of a driver's closest triangles a vertex reads, at most. None: that is not known before bind. nullptr: so
  // it never is.
  std::optional<std::size_t> (*nearest_elements)(const DeformerParameters&) = nullptr;
  // Whether skin where it does worse than linear blend may be left to that: not what an artist sculpted, nor what
  // cannot be mixed with another deformer. nullptr: never.
  bool (*gives_way)(const DeformerParameters&) = nullptr;
  // It lays curves along the bones: lines of muscles follow them, bendy bones bend them.
  bool has_curves = false;

  std::string_view name() const { return defaults.name(); }
};

// `bind` of an entry, by the deformer's own.
template <class P, Result<std::vector<MeshBinding>> (*bind)(const P&, const DeformerInput&)>
Result<std::vector<MeshBinding>> bind_as(const DeformerParameters& parameters, const DeformerInput& input) {
  return bind(parameters.get<P>(), input);
}

// The deformers, in the order of engine/deformers.list.
std::span<const DeformerEntry> deformers();

// Precondition: the parameters are of a deformer.
const DeformerEntry& deformer_entry(const DeformerParameters& parameters);

// The control mesh that carries the skin, or nullptr.
DriverParameters* driver_of(DeformerParameters& parameters);
const DriverParameters* driver_of(const DeformerParameters& parameters);

}  // namespace pelt
