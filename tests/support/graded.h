// SPDX-License-Identifier: MIT
// Characters whose weights have gradients, made by hand: a chain of joints serves as a table.
#pragma once

#include <cstddef>

#include <pelt/character.h>

namespace pelt::test {

enum class Graded {
  kSkin,          // every vertex has gradients
  kPartly,        // some vertices have none, others with entries of weight 0; the first slice has none at all
  kDriver,        // a control mesh has them, with offsets, and its frames move the skin
  kWires,         // two groups with gradients, one without between them
  kOffsets,       // a group of the rest position with gradients, and two with local points; shares from -0.5 to 1.5
  kOffsetDriver,  // as kDriver, driver and skin with such groups
};

inline constexpr Graded kGraded[] = {Graded::kSkin,  Graded::kPartly,  Graded::kDriver,
                                     Graded::kWires, Graded::kOffsets, Graded::kOffsetDriver};

// Makes `count` vertices round a chain of joints, each weighted between the two nearest joints.
Character make_graded(std::size_t count, Graded kind);

}  // namespace pelt::test
