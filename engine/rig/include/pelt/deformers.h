// SPDX-License-Identifier: MIT
// The list of deformers: the one place where the rig learns of a new one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <pelt/rig.h>

namespace pelt {

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
  std::string_view name;
  DeformerParameters defaults;
  RigidParts rigid_parts = RigidParts::kMoved;
  // What a layer over * leaves to linear blend. nullptr: nothing.
  LeftPieces (*leaves)(const DeformerParameters&) = nullptr;
  // The mesh of the model that drives, as the rig names it; empty: none. nullptr: the deformer has no driver.
  const std::string& (*driver_mesh)(const DeformerParameters&) = nullptr;
  // Whether skin where it does worse than linear blend may be left to that: not what an artist sculpted, nor what
  // cannot be mixed with another deformer. nullptr: never.
  bool (*gives_way)(const DeformerParameters&) = nullptr;
};

// One entry for each alternative of DeformerParameters.
std::span<const DeformerEntry> deformers();

const DeformerEntry& deformer_entry(const DeformerParameters& parameters);

// The one of `known` that takes the fewest insertions, deletions and substitutions of bytes to reach from `name`; the
// first of several. Empty where `known` is.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace pelt
