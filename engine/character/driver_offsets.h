// SPDX-License-Identifier: MIT
// Offsets of control meshes while a character is built (DriverParameters::offsets).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/mesh.h>
#include <pelt/result.h>

namespace pelt {

// By the mesh's place in CharacterData::meshes, which is a control mesh.
using DriverOffsets = std::map<std::size_t, std::vector<VertexOffset>>;

// Errors, kInvalidArgument, start with the mesh's name: it is streamed; a vertex is not there, is given twice, or is
// moved by what is not finite or beyond kFarthest.
Result<void> check_driver_offsets(const CharacterData& data, std::size_t mesh, std::span<const VertexOffset> offsets);

}  // namespace pelt
