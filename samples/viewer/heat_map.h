// SPDX-License-Identifier: MIT
// A number at every vertex, as a colour.
#pragma once

#include <string>
#include <vector>

#include <pelt/result.h>

#include "samples/viewer/stage.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

struct HeatMap {
  std::vector<float> values;  // one a vertex of the instance, packed order, in the unit of the kind
  float low = 0;              // the scale's ends
  float high = 1;
  std::string unit;         // "m", "", "elements"
  std::string title;        // "weight of left_forearm"
  std::uint32_t worst = 0;  // packed vertex of the skin with the largest value; of factors: the farthest from 1

  // In [0, 1] over the scale, for DrawItem::weights.
  std::vector<float> shares() const;
};

// Of the first instance as it is posed; control meshes have the lowest value of the scale. An automatic scale ends at a
// round number that 99.9% of the skin's vertices stay within; that of weights at 1, and those of factors are as wide
// below 1 as above, but where nothing is below 0 they start there.
//
// kVolume: the determinant of the affine map that fits best, at a vertex, its edges and the line to the nearest point
// of the nearest bone, which moves with that bone and whose joint moves the vertex by the model's own weights, if any:
// what happens to the flesh between bone and skin. Where the joints that skins are bound to make up no bone, that line
// is the normal, and it keeps its length: the change of area. kGpuError runs the crowd, reads its vertices back and
// waits for the device, which must be idle.
//
// Errors: no such element, nothing to be distant or different from, kGpuError's of the device.
Result<HeatMap> make_heat_map(const runtime::Device& device, Stage& stage, const Actor& actor, const Heat& heat);

}  // namespace pelt::viewer
