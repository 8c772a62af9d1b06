// SPDX-License-Identifier: MIT
// Moves points of a bound character as an edited rig has them, for tools in which an artist drags one.
#pragma once

#include <optional>

#include <pelt/bind.h>
#include <pelt/character.h>
#include <pelt/rig.h>

namespace pelt {

// Returns the character with its points moved as `after` has them, as bind would make it. `before`: the rig by which it
// was bound, or moved since. `report`: of the bind. The rigs may differ only by what moves points after bind:
//
//   DriverParameters::offsets           metres, model space at bind, turned with the limb
//   SurfaceLevel::moves                 metres, as its offsets
//   MosEdit::distance, MosEdit::offset  of a slide that is driven or not `in_bind`: metres, along the bone and in the
//                                       joint's axes
//
// The text of the rig, CharacterData::rig, stays as it was, and so does what bind left to linear blend (Rig::judging),
// although it leaves nothing of a layer that an artist has moved. Takes as long as a copy of the character for each
// mesh that is moved, and for a surface as long as surface_vertices. None: `after` needs a bind, which also says what
// is wrong with it if anything is.
std::optional<Character> move_bound(const Character& character, const BindReport& report, const Rig& before,
                                    const Rig& after);

}  // namespace pelt
