// SPDX-License-Identifier: MIT
// Moves the vertices of a driver after bind (DriverParameters::offsets), for example when an artist drags one.
#pragma once

#include <span>
#include <string_view>

#include <pelt/character.h>
#include <pelt/mesh.h>
#include <pelt/result.h>

namespace pelt {

// Returns the character with `offsets` as the offsets of its driver `mesh`, a control mesh; they replace its earlier
// offsets. None: the driver as bound. The result equals a bind of a rig with these offsets, except that
// CharacterData::rig, the text of the rig, stays. Vertices are numbered as by CharacterMesh::source_vertex. The
// driver's rest positions, `binding.points`, stay as well: only the posed driver moves. Takes as long as copying the
// character. The palette grows when a driver without key poses is moved for the first time, and shrinks again when no
// driver is moved. Skin follows each vertex of a driver made from it only if it was bound with offsets. Errors:
// kNotFound if `mesh` is not a control mesh; kInvalidArgument for a streamed driver, a vertex that does not exist or is
// repeated, and an offset that is not finite or exceeds kMaxCoordinate; kUnsupported if the palette is not laid out as
// bind does it, or would have more than 2^32 - 2 entries.
Result<Character> move_driver_vertices(const Character& character, std::string_view mesh,
                                       std::span<const VertexOffset> offsets);

}  // namespace pelt
