// SPDX-License-Identifier: MIT
// Takes some rows of packed streams: a level of detail on vertices of the finest skin.
#pragma once

#include <cstdint>
#include <span>

#include <pelt/character.h>
#include <pelt/morphs.h>
#include <pelt/pack.h>

namespace pelt {

// Return streams whose row r is row rows[r] of the given ones; each row may be taken once. Points, directions, local
// points, influences with their weights, and directions of morph targets are copied bit by bit. Gradients of weights
// and positions of morph targets are integers in units of a slice, and are rounded to those of the new slices.
PackedBinding gather_rows(const PackedBinding& binding, Groups groups, std::span<const std::uint32_t> rows);
LinearFit gather_rows(const LinearFit& fit, std::span<const std::uint32_t> rows);  // its errors stay those of all rows
PackedMorphs gather_rows(const PackedMorphs& morphs, std::span<const std::uint32_t> rows);

}  // namespace pelt
