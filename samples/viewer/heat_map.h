// SPDX-License-Identifier: MIT
// Computes a number per vertex, which is drawn as a colour.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>

#include "samples/viewer/stage.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

// The texts of a kind of heat map.
struct HeatKindText {
  HeatKind kind;
  const char* name;
  const char* what;  // a sentence
  const char* unit = "";
};
std::span<const HeatKindText> heat_kinds();  // in the order of HeatKind
const HeatKindText& text_of(HeatKind kind);

struct HeatMap {
  std::vector<float> values;  // one per vertex of the instance, packed order, in the unit of the kind
  float low = 0;              // the scale's ends
  float high = 1;
  float first = 0;          // of the colour ramp
  std::string unit;         // "m", "", "elements"
  std::string title;        // "weight of left_forearm"
  std::uint32_t worst = 0;  // packed vertex of the skin with the largest value; for factors: the value farthest from 1

  // Returns the values in [0, 1] over the scale, plus `first`, for DrawItem::weights.
  std::vector<float> shares() const;
};

// Makes the heat map of the first instance in its current pose; control meshes get the lowest value of the scale. An
// automatic scale ends at a round number that covers 99.9% of the skin's vertices; that of weights ends at 1. The scale
// of a factor is symmetric about 1, that of tension about 0, but that of kStretch does not go below 0.
//
// kVolume: the determinant of the affine map that fits best at a vertex. It is fitted to the vertex's edges and to the
// line from the nearest point of the nearest bone, which moves with that bone: it measures the flesh between bone and
// skin. If the model has weights, only bones count whose joint moves the vertex. If the bound joints form no bone, the
// normal with its constant length replaces the line: the value is the change of area. kGpuError runs the crowd, reads
// its vertices back and waits for the device, which must be idle.
//
// Errors: no such palette entry; nothing to measure a distance or a difference from; for kGpuError, the device's.
Result<HeatMap> make_heat_map(const runtime::Device& device, Stage& stage, const Actor& actor, const Heat& heat);

}  // namespace pelt::viewer
