// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <pelt/try.h>

#include "engine/authoring/deformer/weight_gradients.h"
#include "engine/authoring/hierarchical_bspline/base.h"
#include "engine/authoring/hierarchical_bspline/levels.h"
#include "engine/authoring/hierarchical_bspline/own_painting.h"
#include "engine/authoring/hierarchical_bspline/painting.h"
#include "engine/authoring/hierarchical_bspline/skin_locator.h"
#include "engine/authoring/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {
namespace {

// Vertices farther off than the curvature allows.
struct Beyond {
  std::size_t count = 0;
  std::size_t worst = 0;
  double distance = 0;
};

bool is_painted(const HierarchicalBsplineParameters& parameters) {
  return std::ranges::any_of(parameters.levels, [](const SurfaceLevel& level) {
    return std::ranges::any_of(level.attach, &SurfaceAttachment::painted);
  });
}

}  // namespace

Result<std::vector<MeshBinding>> bind(const HierarchicalBsplineParameters& given, const DeformerInput& input) {
  if (!input.builder.has_joints()) return invalid(input, "the model has no joints for the surface to follow");
  PELT_ASSIGN(const auto base, find_base(given, input));
  const HierarchicalBsplineParameters& parameters = base.parameters;
  PELT_ASSIGN(auto surface, Surface::create(parameters, base.label));
  std::optional<Painting> painting;
  if (is_painted(parameters)) {
    PELT_ASSIGN(painting, Painting::create(surface, base, input));
  }
  Joints joints(input, parameters.twist);
  PELT_ASSIGN(const auto posed, add_levels(parameters, surface, painting ? &*painting : nullptr, joints, input));
  Frames frames(surface, posed);
  PELT_ASSIGN(const auto places, surface.grid() != nullptr
                                     ? grid_locator(parameters, surface, input)
                                     : mesh_locator(base, surface, painting ? &*painting : nullptr, input));

  std::optional<OwnPainting> own;
  if (is_as_made(parameters)) own.emplace(parameters.spread, input);
  std::size_t first = 0;  // vertex of the targets, concatenated
  std::vector<MeshBinding> bindings;
  for (const DeformerTarget& target : input.targets) {
    const Mesh& mesh = mesh_of(input, target);
    std::span<const std::uint32_t> parts;
    if (target.level == nullptr && !base.skin_parts.empty()) {
      parts = std::span(base.skin_parts).subspan(first, mesh.positions.size());
    }
    PELT_TRY(places->find(mesh, parts));
    MeshBinding& binding = bindings.emplace_back();
    binding.distances.assign(mesh.positions.size(), -1.0f);
    binding.remarks.assign(mesh.positions.size(), 0);
    // A bend of few edges shows the folds of the surface, which the skin's own frames, that only turn, hide.
    std::vector<float> kept;
    if (own && target.level == nullptr && has_weights(mesh)) {
      kept = kept_gradients(mesh.weights, {mesh.positions, mesh.triangles});
    }
    Beyond beyond;
    std::vector<WeightedElement> row;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      row.clear();
      if (target.mask[v] > 0) {
        const SurfacePoint place = places->at(v);
        const glm::dvec3 away = glm::dvec3(mesh.positions[v]) - place.position;
        const double distance = glm::length(away);
        binding.distances[v] = static_cast<float>(distance);
        const double height = place.has_frame() ? glm::dot(away, place.axes()[2]) : 0;
        if (own && target.level == nullptr) {
          const float of_place = places->own_share(v, height, own->row(first + v));
          own->set_share(first + v, kept.empty() ? of_place : std::max(of_place, 1 - 2 * kept[v]));
        }
        if (place.has_frame() && places->is_beyond_curvature(v, height)) {
          binding.remarks[v] |= kFar;
          if (distance > beyond.distance) beyond = {beyond.count, v, distance};
          ++beyond.count;
        }
        PELT_TRY(places->append(v, frames, row));
      }
      append_row(binding.rows, row);
    }
    if (target.level == nullptr) first += mesh.positions.size();
    if (beyond.count > 0) {
      input.notes.push_back(
          fmt::format("{}: {} vertices of mesh '{}' are farther from the surface than its radius of "
                      "curvature; the farthest is vertex {}, {:.3g} m off",
                      input.layer, beyond.count, mesh.name, beyond.worst, beyond.distance));
    }
    input.progress(static_cast<double>(bindings.size()) / static_cast<double>(input.targets.size()));
  }
  if (frames.empty()) return bindings;
  const std::uint32_t first_entry = frames.finish(input.builder);
  for (MeshBinding& binding : bindings) {
    for (Influence& influence : binding.rows.influences) influence.index += first_entry;
  }
  if (own) own->lay_over(joints, bindings);
  return bindings;
}

}  // namespace pelt::hierarchical_bspline
