// SPDX-License-Identifier: MIT
// Offsets of control meshes, for a character being built (DriverParameters::offsets).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/mesh.h>
#include <pelt/result.h>

namespace pelt {

// Offsets by the control mesh's index in CharacterData::meshes.
using DriverOffsets = std::map<std::size_t, std::vector<VertexOffset>>;

// Checks the offsets of a control mesh. Errors: kInvalidArgument, naming the mesh, if it is streamed, or if a vertex
// does not exist, is repeated, or moves to a position that is not finite or is beyond kMaxCoordinate.
Result<void> check_driver_offsets(const CharacterData& data, std::size_t mesh, std::span<const VertexOffset> offsets);

}  // namespace pelt
