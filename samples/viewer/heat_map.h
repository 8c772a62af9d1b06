// SPDX-License-Identifier: MIT
// Gives every vertex a number that is drawn as a colour.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>

#include "samples/viewer/stage.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

// A kind of heat map as people see it.
struct HeatKindText {
  HeatKind kind;
  const char* name;
  const char* what;  // a sentence
  const char* unit = "";
};
std::span<const HeatKindText> heat_kinds();  // in the order of HeatKind
const HeatKindText& text_of(HeatKind kind);

struct HeatMap {
  std::vector<float> values;  // one a vertex of the instance, packed order, in the unit of the kind
  float low = 0;              // the scale's ends
  float high = 1;
  std::string unit;         // "m", "", "elements"
  std::string title;        // "weight of left_forearm"
  std::uint32_t worst = 0;  // packed vertex of the skin with the largest value; for factors: the value farthest from 1

  // Returns the values in [0, 1] over the scale, for DrawItem::weights.
  std::vector<float> shares() const;
};

// Makes the heat map of the first instance in its current pose; control meshes have the lowest value of the scale. An
// automatic scale ends at a round number that covers 99.9% of the skin's vertices; the scale of weights ends at 1. The
// scale of a factor reaches as far below 1 as above it; that of kStretch does not go below 0.
//
// kVolume: the determinant of the affine map that fits best at a vertex. It is fitted to the vertex's edges and to the
// line from the nearest point of the nearest bone, which moves with that bone; it shows what happens to the flesh
// between bone and skin. Only bones count whose joint moves the vertex by the model's own weights, if it has any. If
// the bound joints form no bone, the normal with its constant length replaces the line: the value is the change of
// area. kGpuError runs the crowd, reads its vertices back and waits for the device, which must be idle.
//
// Errors: no such palette entry; nothing to measure a distance or a difference from; for kGpuError, the device's.
Result<HeatMap> make_heat_map(const runtime::Device& device, Stage& stage, const Actor& actor, const Heat& heat);

}  // namespace pelt::viewer
