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

// Offsets of every vertex of a mesh, and the weight that adds them.
struct KeyedOffsets {
  std::uint32_t weight;  // as WeightTable::add_weight returns it
  std::vector<glm::vec3> offsets;
};

// Adds the passes of weights and of the offsets that they add to a mesh. Returns the first palette entry, or none if
// there is no offset.
std::optional<std::uint32_t> add_offsets(key_weights::WeightTable& weights, std::span<const KeyedOffsets> keyed,
                                         const Mesh& mesh, CharacterBuilder& builder);

// Adds the pass that adds to each vertex of a driver the offsets of its key poses and, if `morph_targets`, of its morph
// targets (docs/mathematics.md section 1; shaders/driver/key_pose/pose.h). `mesh` is the driver that will move. The
// rig's vertex numbers and the morph targets are those of `source`; `carry` transfers its offsets to `mesh`. Returns
// the first palette entry, or none if there is no offset. Errors name the set and the pose: an unknown joint or one
// without parent, an unknown morph target, a pose with another number of angles than the set, two keys at the same
// angles or so close that no weights separate them, more angles than 1 for linear and 8 for rbf interpolation, vertices
// that do not exist.
using CarryOffsets = std::function<std::vector<glm::vec3>(std::span<const glm::vec3>)>;
Result<std::optional<std::uint32_t>> add_pass(std::span<const KeyPoseSet> key_poses, bool morph_targets,
                                              const Mesh& source, const Mesh& mesh, const CarryOffsets& carry,
                                              const Model& model, const std::string& what, CharacterBuilder& builder);

}  // namespace pelt::key_pose
