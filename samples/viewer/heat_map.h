// SPDX-License-Identifier: MIT
// A number at every vertex, as a colour.
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "samples/viewer/stage.h"
#include "samples/viewer/view_state.h"

namespace pelt::viewer {

struct HeatMap {
  std::vector<float> values;  // one a vertex of the instance, packed order, in the unit of the kind
  float low = 0;              // the scale's ends
  float high = 1;
  std::string unit;         // "m", "", "elements"
  std::string title;        // "weight of left_forearm"
  std::uint32_t worst = 0;  // packed vertex of the largest value

  // In [0, 1] over the scale, for DrawItem::weights.
  std::vector<float> shares() const;
};

// Of the first instance as it is posed. kGpuError reads the crowd's vertices back and waits for the device. Errors: no
// such element, nothing to be distant or different from.
Result<HeatMap> make_heat_map(const runtime::Device& device, Stage& stage, const Actor& actor, const Heat& heat);

}  // namespace pelt::viewer
