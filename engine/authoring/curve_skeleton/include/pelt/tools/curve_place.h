// SPDX-License-Identifier: MIT
// Finds what moves a curve in the text of a rig, for tools in which an artist drags it.
#pragma once

#include <span>
#include <string>

#include <pelt/rig.h>

namespace pelt {

// Returns the JSON pointer, in the rig's JSON, to the offset of the first curve that a layer lists over these joints,
// in their order: "/layers/0/parameters/curves/2/offset". Empty: no layer does.
std::string curve_offset_place(const Rig& rig, std::span<const std::string> joints);

}  // namespace pelt
