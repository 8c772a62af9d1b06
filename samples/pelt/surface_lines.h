// SPDX-License-Identifier: MIT
// The levels of the hierarchical B-splines of a rig, as `pelt info` prints them.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include <pelt/rig.h>
#include <pelt/tools/surface_vertices.h>

namespace pelt::samples {

struct SurfaceLine {
  std::size_t layer;
  std::size_t level;
  hierarchical_bspline::SurfaceGrid grid;
};

// Lists the levels of all surfaces; those that bind refuses have none.
std::vector<SurfaceLine> surfaces_of(const Rig& rig);

nlohmann::ordered_json describe(const std::vector<SurfaceLine>& lines);
void print_surfaces(const std::vector<SurfaceLine>& lines);

}  // namespace pelt::samples
