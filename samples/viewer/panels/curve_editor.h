// SPDX-License-Identifier: MIT
// A curve through keys, as a small plot.
#pragma once

#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/rig.h>

namespace pelt::viewer {

struct CurvePlot {
  float at_low = 0;  // the plot's width
  float at_high = 1;
  float least = 0;  // of values: where both ends are finite, the plot's height
  float most = 1;
  bool smooth = false;           // a monotone cubic, as the engine's, instead of straight lines
  bool rising = false;           // values never fall
  std::vector<CurveKey> pinned;  // keys that are there whenever there is one, and stay where they are
};

// The curve at a place, as the engine evaluates it: held beyond its ends. Precondition: there is a key.
float curve_at(const std::vector<CurveKey>& keys, float at, bool smooth);

// Dear ImGui's item in the width that is left; it is active while a key is dragged. A key is added by a double click,
// removed by a right click. Whether the keys have changed: they ascend.
bool draw_curve_editor(const char* id, std::vector<CurveKey>& keys, const CurvePlot& plot);

}  // namespace pelt::viewer
