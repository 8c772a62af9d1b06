// SPDX-License-Identifier: MIT
// The vertices of a driver moved after bind (DriverParameters::offsets): what an artist sees who drags one.
#pragma once

#include <span>
#include <string_view>

#include <pelt/character.h>
#include <pelt/mesh.h>
#include <pelt/result.h>

namespace pelt {

// The character with `offsets` in place of those that its driver `mesh`, a control mesh, had; none: as it was bound.
// It is what bind makes of a rig with these offsets, but for the text of the rig, CharacterData::rig, which stays.
// Vertices are numbered by CharacterMesh::source_vertex; the driver's rest positions, `binding.points`, stay as well,
// and what is posed is there moved. Takes as long as a copy of the character; the palette grows when a driver without
// key poses is moved for the first time, and shrinks when none is moved any more. Linear-blend fits, which were of the
// driver as it was, are gone (fit_linear_blend makes new ones). Errors: kNotFound for a mesh that is
// no control mesh; kInvalidArgument for a streamed one, which the caller places, and for a vertex that is not there, is
// given twice, or is moved by what is not finite or beyond kFarthest; kUnsupported for a character whose palette is not
// laid out as bind does, or would have more than 2^32 - 2 entries.
Result<Character> move_driver_vertices(const Character& character, std::string_view mesh,
                                       std::span<const VertexOffset> offsets);

}  // namespace pelt
