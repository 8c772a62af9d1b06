// SPDX-License-Identifier: MIT
#include "samples/pelt/surface_lines.h"

#include <fmt/format.h>

#include <pelt/hierarchical_bspline.h>

namespace pelt::samples {

std::vector<SurfaceLine> surfaces_of(const Rig& rig) {
  std::vector<SurfaceLine> lines;
  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    const auto* parameters = rig.layers[l].deformer.get_if<HierarchicalBsplineParameters>();
    if (parameters == nullptr) continue;
    const auto surface = hierarchical_bspline::surface_vertices(*parameters);
    for (std::size_t level = 0; surface && level < surface->grids.size(); ++level) {
      lines.push_back({l, level, surface->grids[level]});
    }
  }
  return lines;
}

nlohmann::ordered_json describe(const std::vector<SurfaceLine>& lines) {
  nlohmann::ordered_json surfaces = nlohmann::ordered_json::array();
  for (const SurfaceLine& line : lines) {
    nlohmann::ordered_json described{{"layer", line.layer}, {"level", line.level}};
    if (!line.grid.is_mesh()) described["shape"] = line.grid.along;
    described["vertices"] = line.grid.size();
    described["stored"] = line.grid.stored;
    surfaces.push_back(std::move(described));
  }
  return surfaces;
}

void print_surfaces(const std::vector<SurfaceLine>& lines) {
  if (!lines.empty()) fmt::print("\n");
  for (const SurfaceLine& line : lines) {
    const std::string shape =
        line.grid.is_mesh() ? "" : fmt::format("{} x {} = ", line.grid.along[0], line.grid.along[1]);
    fmt::print("surface of layer {}, level {}: {} control vertices stored of {}{}\n", line.layer + 1, line.level,
               line.grid.stored, shape, line.grid.size());
  }
}

}  // namespace pelt::samples
