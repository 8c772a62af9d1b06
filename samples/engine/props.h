// SPDX-License-Identifier: MIT
// Solids on anchors of the built-in biped: a sword at the hip, buttons and a beard.
#pragma once

#include <vector>

#include <pelt/character.h>
#include <pelt/rig.h>

#include "samples/engine/shaders/records.h"

namespace pelt::samples {

// Returns the anchors, for the biped's rig.
std::vector<RigAnchor> prop_anchors();

// Returns the solids of a character with these anchors.
std::vector<shared::PropRecord> make_props(const Character& character);

}  // namespace pelt::samples
