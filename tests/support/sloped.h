// SPDX-License-Identifier: MIT
// Characters with slopes, made by hand: a chain of joints as a table.
#pragma once

#include <cstddef>

#include "engine/character/character.h"

namespace pelt::test {

enum class Sloped {
  kSkin,          // every vertex has one slope
  kPartly,        // some vertices have none, others up to 3; the first slice has none at all
  kDriver,        // a control mesh has them, with offsets, and its frames move the skin
  kWires,         // two groups with slopes, one without between them
  kOffsets,       // a group of the rest position with slopes, and two with local points; shares from -0.5 to 1.5
  kOffsetDriver,  // as kDriver, driver and skin with such groups
};

// `count` vertices round a chain of joints, each between the two joints beside it, and what that is the slope of.
Character make_sloped(std::size_t count, Sloped kind);

}  // namespace pelt::test
