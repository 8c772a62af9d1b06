// SPDX-License-Identifier: MIT
// Finds the offset of a curve in the text of a rig, for tools in which an artist drags the curve.
#pragma once

#include <span>
#include <string>

#include <pelt/rig.h>

namespace pelt {

// Returns the JSON pointer, in the rig's JSON, to the offset of the first curve that a layer lists over these joints,
// in their order: "/layers/0/parameters/curves/2/offset". Empty: no layer lists one.
std::string curve_offset_pointer(const Rig& rig, std::span<const std::string> joints);

}  // namespace pelt
