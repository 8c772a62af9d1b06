// SPDX-License-Identifier: MIT
// Offsets of control meshes, as a character is built (DriverParameters::offsets).
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

// Checks the offsets of a control mesh. Errors are kInvalidArgument and name the mesh: it is streamed; a vertex does
// not exist, is given twice, or is moved to a place that is not finite or beyond kMaxCoordinate.
Result<void> check_driver_offsets(const CharacterData& data, std::size_t mesh, std::span<const VertexOffset> offsets);

}  // namespace pelt
