// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/base.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <pelt/tools/index_ranges.h>
#include <pelt/try.h>

#include "engine/authoring/deformer/find_cage.h"

namespace pelt::hierarchical_bspline {
namespace {

// Attaches every vertex of the base that no attachment names, as painted.
void attach_rest(HierarchicalBsplineParameters& surface) {
  std::vector<bool> attached(surface.control.size(), false);
  if (surface.levels.empty()) surface.levels.emplace_back();
  for (const SurfaceAttachment& attachment : surface.levels[0].attach) {
    for (const IndexRange range : attachment.vertices) {
      for (std::uint32_t v = range.first; v <= range.last && v < attached.size(); ++v) attached[v] = true;
    }
  }
  SurfaceAttachment painted{.painted = true};
  for (std::uint32_t v = 0; v < attached.size(); ++v) {
    if (!attached[v]) append_index(painted.vertices, v);
  }
  if (!painted.vertices.empty()) surface.levels[0].attach.push_back(std::move(painted));
}

}  // namespace

bool is_as_made(const HierarchicalBsplineParameters& parameters) {
  return !parameters.made_of.empty() && std::ranges::all_of(parameters.levels, [](const SurfaceLevel& level) {
    const bool is_edited = !level.moves.empty() || !level.keys.empty() || !level.limits.empty() ||
                           !level.separations.empty() || !level.secondary.empty();
    return !is_edited && std::ranges::all_of(level.attach, &SurfaceAttachment::painted);
  });
}

Result<Base> find_base(const HierarchicalBsplineParameters& parameters, const DeformerInput& input) {
  const bool is_named = !parameters.mesh.empty() || !parameters.file.empty();
  if (!parameters.made_of.empty() && (is_named || parameters.control.empty() || parameters.faces.empty())) {
    return invalid(input, "made_of requires a base of control and faces only");
  }
  Base base{parameters, {}};
  if (is_named) {
    PELT_ASSIGN(auto found, find_cage(parameters.mesh, parameters.file, input));
    auto& [cage, mesh] = found;
    if (parameters.control.empty()) {
      for (const glm::dvec3 point : cage.points) base.parameters.control.emplace_back(point);
      base.parameters.faces = std::move(cage.faces);
      base.parameters.file.clear();
    } else if (cage.points.size() != parameters.control.size()) {
      return invalid(input, fmt::format("mesh '{}' has {} control vertices, and control has {}", parameters.mesh,
                                        cage.points.size(), parameters.control.size()));
    }
    if (mesh != nullptr && has_weights(*mesh)) {
      base.painted = true;
      for (const std::uint32_t v : cage.source_vertex) base.weights.append_row(mesh->weights.row(v));
    }
  } else if (parameters.control.empty()) {
    PELT_ASSIGN(base, made_base(parameters, input));
  } else if (!parameters.made_of.empty()) {
    PELT_TRY(take_from_skin(base, input));
  }
  base.label = parameters.file.empty() ? input.layer : fmt::format("{}: {}", input.layer, parameters.file);
  if (!base.parameters.faces.empty()) attach_rest(base.parameters);
  return base;
}

}  // namespace pelt::hierarchical_bspline
