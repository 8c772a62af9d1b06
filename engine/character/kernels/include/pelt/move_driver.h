// SPDX-License-Identifier: MIT
// Moves the vertices of a driver after bind (DriverParameters::offsets), as when an artist drags one.
#pragma once

#include <span>
#include <string_view>

#include <pelt/character.h>
#include <pelt/mesh.h>
#include <pelt/result.h>

namespace pelt {

// Returns the character with `offsets` as the offsets of its driver `mesh`, a control mesh; they replace those that it
// had. None: the driver as it was bound. The result is what bind makes of a rig with these offsets, except that the
// text of the rig, CharacterData::rig, stays. Vertices are numbered by CharacterMesh::source_vertex. The driver's rest
// positions, `binding.points`, stay as well: what moves is the posed driver. Takes as long as a copy of the character.
// The palette grows when a driver without key poses is moved for the first time, and shrinks when no driver is moved
// any more. Errors: kNotFound for a mesh that is not a control mesh; kInvalidArgument for a streamed driver, for a
// vertex that does not exist or is given twice, and for an offset that is not finite or exceeds kMaxCoordinate;
// kUnsupported for a character whose palette is not laid out as bind does it, or would have more than 2^32 - 2 entries.
Result<Character> move_driver_vertices(const Character& character, std::string_view mesh,
                                       std::span<const VertexOffset> offsets);

}  // namespace pelt
