// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <pelt/try.h>

#include "engine/authoring/driver/from_skin/armpits.h"
#include "engine/authoring/driver/from_skin/joint_spread.h"
#include "engine/authoring/driver/from_skin/shown_surface.h"
#include "engine/authoring/hierarchical_bspline/base.h"
#include "engine/authoring/rows/row_weights.h"
#include "engine/authoring/hierarchical_bspline/levels.h"
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

// Returns the painting of the skin, spread along the skin itself.
SparseRows own_painting(const HierarchicalBsplineParameters& parameters, const DeformerInput& input) {
  from_skin::ShownSurface skin = from_skin::shown_surface(input, false);
  for (std::uint32_t v = 0; v < skin.mesh.positions.size(); ++v) skin.mesh.weights.append_row(skin.weights(v));
  return from_skin::spread_along(skin.mesh, parameters.spread, input.model, input.threads);
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

  const SparseRows own = parameters.made_of.empty() ? SparseRows() : own_painting(parameters, input);
  std::vector<std::vector<float>> own_shares;
  std::vector<std::span<const Influence>> own_rows;
  std::vector<glm::vec3> own_points;
  std::vector<float> straight;
  const from_skin::Armpits armpits(input.model);
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
    std::vector<float>& own_share = own_shares.emplace_back(mesh.positions.size(), 0.0f);
    Beyond beyond;
    std::vector<WeightedElement> row;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      row.clear();
      if (target.mask[v] > 0) {
        const SurfacePoint place = places->at(v);
        const glm::dvec3 away = glm::dvec3(mesh.positions[v]) - place.position;
        const double distance = glm::length(away);
        binding.distances[v] = static_cast<float>(distance);
        if (place.has_frame() && places->is_beyond_curvature(v, glm::dot(away, place.axes()[2]))) {
          binding.remarks[v] |= kFar;
          if (distance > beyond.distance) beyond = {beyond.count, v, distance};
          ++beyond.count;
        }
        PELT_TRY(places->append(v, frames, row));
      }
      append_row(binding.rows, row);
      const bool has_own = target.level == nullptr && own.row_count() != 0 && !own.row(first + v).empty();
      if (!has_own || !(target.mask[v] > 0)) continue;
      row = places->painting(v);
      SparseRows merged;
      append_row(merged, row);
      const double unlike = 1 - weight_similarity(merged.row(0), own.row(first + v));
      static const double lo = getenv("HLO") ? atof(getenv("HLO")) : 0.05, hi = getenv("HHI") ? atof(getenv("HHI")) : 0.25;
      own_share[v] = static_cast<float>(glm::smoothstep(lo, hi, unlike));
      if (binding.remarks[v] & kFar) own_share[v] = 1;
      if (!(own_share[v] > 0)) continue;
      own_rows.push_back(own.row(first + v));
      own_points.push_back(mesh.positions[v]);
      straight.push_back(armpits.share(own_points.back(), own_rows.back()));
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
  if (getenv("HDBG")) {
    for (auto& s : own_shares) {
      size_t n = 0, full = 0;
      for (float x : s) n += x > 0, full += x > 0.99f;
      fmt::print(stderr, "own: {} of {}, full {}\n", n, s.size(), full);
    }
  }
  if (own_rows.empty()) return bindings;
  const std::vector<std::vector<Influence>> motions = joints.painted(own_rows, straight, own_points);
  const std::uint32_t own_entry = joints.finish();
  auto motion = motions.begin();
  for (std::size_t t = 0; t < bindings.size(); ++t) {
    SparseRows rows;
    for (const float share : own_shares[t]) {
      std::vector<Influence> row;
      if (share > 0) {
        row = *motion++;
        for (Influence& influence : row) influence.index += own_entry;
      }
      rows.append_row(row);
    }
    bindings[t].rows = merge_over(bindings[t].rows, rows, own_shares[t]);
  }
  return bindings;
}

}  // namespace pelt::hierarchical_bspline
