// SPDX-License-Identifier: MIT
// Edits a curve through keys in a small plot.
#pragma once

#include <vector>

#include <pelt/curve_keys.h>

namespace pelt::viewer {

struct CurvePlot {
  float at_low = 0;  // range of the plot's horizontal axis
  float at_high = 1;
  float least = 0;  // range of values: if both ends are finite, of the plot's vertical axis
  float most = 1;
  bool smooth = false;           // a monotone cubic as in the engine, instead of straight lines
  bool rising = false;           // values never fall
  std::vector<CurveKey> pinned;  // keys that always exist beside others, and stay in place
};

// Evaluates the curve as the engine does: constant beyond its ends. Precondition: there is a key.
float curve_at(const std::vector<CurveKey>& keys, float at, bool smooth);

// Draws an item of Dear ImGui in the remaining width; it is active while a key is dragged. A double click adds a key, a
// right click removes it. Returns true if the keys have changed; they ascend.
bool draw_curve_editor(const char* id, std::vector<CurveKey>& keys, const CurvePlot& plot);

}  // namespace pelt::viewer
