// SPDX-License-Identifier: MIT
#include "samples/pelt/surface_lines.h"

#include <fmt/format.h>

#include <pelt/hierarchical_bspline.h>

namespace pelt::samples {

std::vector<SurfaceLine> surfaces_of(const Rig& rig) {
  std::vector<SurfaceLine> lines;
  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    const auto* own = rig.layers[l].deformer.get_if<HierarchicalBsplineParameters>();
    if (own == nullptr) continue;
    const auto surface = hierarchical_bspline::surface_vertices(*own);
    for (std::size_t level = 0; surface && level < surface->grids.size(); ++level) {
      lines.push_back({l, level, surface->grids[level]});
    }
  }
  return lines;
}

nlohmann::ordered_json describe(const std::vector<SurfaceLine>& lines) {
  nlohmann::ordered_json surfaces = nlohmann::ordered_json::array();
  for (const SurfaceLine& line : lines) {
    surfaces.push_back(
        {{"layer", line.layer}, {"level", line.level}, {"shape", line.grid.along}, {"stored", line.grid.stored}});
  }
  return surfaces;
}

void print_surfaces(const std::vector<SurfaceLine>& lines) {
  if (!lines.empty()) fmt::print("\n");
  for (const SurfaceLine& line : lines) {
    fmt::print("surface of layer {}, level {}: {} control vertices stored of {} x {} = {}\n", line.layer, line.level,
               line.grid.stored, line.grid.along[0], line.grid.along[1], line.grid.size());
  }
}

}  // namespace pelt::samples
