// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/from_skin/thinned_skin.h"

#include <fmt/format.h>

#include <utility>

#include "engine/authoring/driver/from_skin/joint_density.h"
#include "engine/authoring/driver/from_skin/limb_sizing.h"
#include "engine/authoring/geometry/simplify.h"

namespace pelt::from_skin {
namespace {

// Returns the rows of some vertices; no row at all if one of the vertices has none.
SparseRows weights_at(const ShownSurface& surface, std::span<const std::uint32_t> vertices) {
  SparseRows result;
  for (const std::uint32_t vertex : vertices) {
    const std::span<const Influence> row = surface.weights(vertex);
    if (row.empty()) return {};
    result.append_row(row);
  }
  return result;
}

}  // namespace

ThinnedSkin thinned_skin(ShownSurface surface, std::size_t triangles, float density, double of_distance,
                         const DeformerInput& input) {
  // Triangles of the skin per triangle of the result; more do not improve the choice.
  constexpr std::size_t kDense = 16;
  Simplified dense = thin(std::move(surface.mesh), kDense * triangles, input.threads);
  dense.mesh.weights = weights_at(surface, dense.source_vertex);
  const LimbSizing sizing = limb_sizing(dense.mesh, triangles, of_distance, input.model);
  std::vector<float> wanted = joint_density(dense.mesh, density);
  for (std::size_t v = 0; v < wanted.size(); ++v) wanted[v] *= sizing.density[v];
  // A mesh with as many vertices as the skin is the skin itself.
  const std::size_t dense_count = dense.mesh.triangles.size();
  const bool is_skin = dense.mesh.positions.size() <= sizing.triangles / 2;
  Simplified simple = simplify(std::move(dense.mesh), is_skin ? dense_count : sizing.triangles, std::move(wanted));
  for (const std::string& note : simple.notes) input.notes.push_back(fmt::format("{}: {}", input.layer, note));
  for (std::uint32_t& vertex : simple.source_vertex) vertex = dense.source_vertex[vertex];
  SparseRows weights = weights_at(surface, simple.source_vertex);
  return {std::move(simple.mesh), std::move(weights), std::move(simple.source_vertex), is_skin};
}

}  // namespace pelt::from_skin
