// SPDX-License-Identifier: MIT
// Slides control points of a bound character, for an artist who drags one.
#pragma once

#include <cstdint>
#include <span>

#include <pelt/bind_report.h>
#include <pelt/character.h>
#include <pelt/mos.h>
#include <pelt/result.h>

namespace pelt::mos {

// Returns true if a slide only moves the posed points, so that bind does not depend on its distance.
bool slides_after_bind(const MosEdit& edit);

// Returns the character that bind would make if its one layer of MOS had these `edits`. They may differ from those of
// the bind only in the distances and offsets of edits that slide after bind. `points` is from the report of that bind.
// The result equals that of bind, except for rounding in the changed data and for CharacterData::rig. It takes as long
// as a copy of the character and its validation. Errors: kInvalidArgument if the character was bound with other edits,
// and those of Character::create.
Result<Character> slide_points(const Character& character, std::span<const PointReport> points,
                               std::span<const MosEdit> edits);

}  // namespace pelt::mos
