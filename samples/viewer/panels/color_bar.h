// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include "samples/viewer/heat_map.h"

namespace pelt::viewer {

// Draws the scale of a heat map: the colours from `at`, `size` pixels large, with `ticks` + 1 values evenly below; the
// last value has the unit if `with_unit`. Returns the total height, pixels.
float draw_color_bar(ImDrawList& list, const HeatMap& heat, ImVec2 at, ImVec2 size, int ticks, bool with_unit);

}  // namespace pelt::viewer
