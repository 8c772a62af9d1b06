// SPDX-License-Identifier: MIT
// Packs the morph targets of a mesh: vertices that are packed together share 16 bits, so that offsets larger than the
// mesh would take the digits of others.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/mesh.h>

#include "engine/character/rows/morphs.h"

namespace pelt {

std::vector<MorphOffsets> offsets_of(std::span<const MorphTarget> targets, std::span<const MorphTarget> added);

// Returns the mesh's targets with offsets longer than the mesh.
std::vector<std::uint32_t> far_targets(std::span<const glm::vec3> positions, std::span<const MorphOffsets> targets);

// Packs `targets` as pack_morphs does, but for the far offsets of the targets `far`: these are further targets, in that
// order. `positions`: those of the mesh that far_targets got, of which `targets` may be a level's.
PackedMorphs pack_apart(std::span<const glm::vec3> positions, std::vector<MorphOffsets> targets,
                        std::span<const std::uint32_t> far, std::size_t vertex_count,
                        std::span<const std::uint32_t> order);

}  // namespace pelt
