// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <pelt/key_pose.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/key_weights/bind.h"

namespace pelt::key_pose {

// Offsets of every vertex of a mesh, and the weight that adds them. `turns`: tilts of frames that the rig gives
// (shaders/driver/key_pose/pose.h), and their share over those that follow from the offsets; none, or one per vertex.
struct KeyedOffsets {
  std::uint32_t weight;  // as WeightTable::add_weight returns it
  std::vector<glm::vec3> offsets;
  std::vector<glm::vec4> turns{};
};

// Adds the weights of a set of key poses, one per pose, and returns them. `mesh` names the control of the set. Errors:
// those of find_offsets.
Result<std::vector<std::uint32_t>> add_weights(const KeyPoseSet& set, const std::string& mesh, const Model& model,
                                               const std::string& what, CharacterBuilder& builder,
                                               key_weights::WeightTable& weights);

// Returns the offsets that key poses and, if `morph_targets`, morph targets add to a driver (docs/mathematics.md
// section 1), and adds their weights. The rig's vertex numbers and the morph targets are those of `source`; `carry`
// transfers its offsets to the driver. Errors name the set and the pose: an unknown joint or one without parent, an
// unknown morph target, a pose with another number of angles than the set, two keys at the same angles or so close that
// no weights separate them, more angles than 1 for linear and 8 for rbf interpolation, vertices that do not exist,
// turns of 90 degrees or more.
using CarryOffsets = std::function<std::vector<glm::vec3>(std::span<const glm::vec3>)>;
Result<std::vector<KeyedOffsets>> find_offsets(std::span<const KeyPoseSet> key_poses, bool morph_targets,
                                               const Mesh& source, const CarryOffsets& carry, const Model& model,
                                               const std::string& what, CharacterBuilder& builder,
                                               key_weights::WeightTable& weights);

// Returns for each vertex of a mesh whether any offsets move or tilt it.
std::vector<bool> moved_vertices(std::span<const KeyedOffsets> keyed, const Mesh& mesh);

// Adds the passes of weights and of the offsets that they add to the last vertices of a mesh, from the first that has
// any (shaders/driver/key_pose/pose.h). Returns the first palette entry, or none if there is no offset.
std::optional<std::uint32_t> add_offsets(key_weights::WeightTable& weights, std::span<const KeyedOffsets> keyed,
                                         const Mesh& mesh, CharacterBuilder& builder);

}  // namespace pelt::key_pose
