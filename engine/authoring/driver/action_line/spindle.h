// SPDX-License-Identifier: MIT
// The mesh of a muscle, made round its line.
#pragma once

#include <cstdint>
#include <string>

#include <pelt/mesh.h>

#include "engine/authoring/driver/action_line/line.h"

namespace pelt::action_line {

struct SpindleShape {
  float radius = 0;               // radius in the middle, metres
  float tendon = 0;               // fraction of the length that is thin at either end, below 0.5
  std::uint32_t resolution = 16;  // quads round; twice as many along
};

// Makes a closed mesh that tapers to a point at either end of the line. It has no weights.
Mesh make_spindle(std::string name, const RestLine& line, const SpindleShape& shape);

}  // namespace pelt::action_line
