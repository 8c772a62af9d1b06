// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include "samples/viewer/heat_map.h"

namespace pelt::viewer {

// The scale of a heat map: the ramp from `at` on, `size` pixels, with `ticks` + 1 values evenly below it, the last with
// the unit where `with_unit`. Returns the height of it all, pixels.
float draw_color_bar(ImDrawList& list, const HeatMap& heat, ImVec2 at, ImVec2 size, int ticks, bool with_unit);

}  // namespace pelt::viewer
