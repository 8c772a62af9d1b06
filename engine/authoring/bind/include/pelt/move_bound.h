// SPDX-License-Identifier: MIT
// Moves points of a bound character as an edited rig asks, for tools in which an artist drags one.
#pragma once

#include <optional>

#include <pelt/bind.h>
#include <pelt/character.h>
#include <pelt/rig.h>

namespace pelt {

// Returns the character with its points moved as in `after`, equal to what bind would make. `before`: the rig by which
// the character was bound or last moved. `report`: of the bind. The rigs may differ only in parameters that move points
// after bind:
//
//   DriverParameters::offsets           metres, model space at bind, turned with the limb
//   SurfaceLevel::moves                 metres, as its offsets
//   MosEdit::distance, MosEdit::offset  of a slide that is driven or not `in_bind`: metres, along the bone and in the
//                                       joint's axes
//
// The text of the rig, CharacterData::rig, does not change. Vertices that fell back to linear blend at bind
// (Rig::check) still do, although bind never does that to a layer that an artist has moved. Takes as long as a copy
// of the character for each mesh that moves; for a surface, as long as surface_vertices. None: `after` needs a bind,
// which also reports any errors in it.
std::optional<Character> move_bound(const Character& character, const BindReport& report, const Rig& before,
                                    const Rig& after);

}  // namespace pelt
