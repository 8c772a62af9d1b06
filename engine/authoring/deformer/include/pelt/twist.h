// SPDX-License-Identifier: MIT
#pragma once

namespace pelt {

class Fields;

// Whether the twist of a hand or a foot is spread along the bone before it, and that of an upper arm or a thigh along
// its own bone.
enum class Twist {
  kSpread,  // unless clips or helper joints turn twist joints of the bone, its painting has no transition, or it is
            // stubby
  kNone,    // as painted
};

void describe(Fields& fields, Twist& twist);

}  // namespace pelt
