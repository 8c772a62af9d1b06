// SPDX-License-Identifier: MIT
// Control points slid after bind: what an artist sees who drags one.
#pragma once

#include <cstdint>
#include <span>

#include <pelt/bind_report.h>
#include <pelt/character.h>
#include <pelt/mos.h>
#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt::mos {

// Whether a slide only moves the posed points: bind does not look at how far.
bool slides_after_bind(const MosEdit& edit);

// The character of a rig whose one layer of MOS has these `edits` instead of those it was bound by, which they may
// differ from in the distances and offsets of edits that slide after bind. `points`: of the report of that bind. But
// for rounding of what has changed, and CharacterData::rig, it is what bind makes of them. Takes as long as a copy of
// the character and its validation. Linear-blend fits are gone, as of move_driver_vertices. Errors: kInvalidArgument
// where the character was bound by other edits, and Character::create's.
Result<Character> slide_points(const Character& character, std::span<const PointReport> points,
                               std::span<const MosEdit> edits);

}  // namespace pelt::mos
