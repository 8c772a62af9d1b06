// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/merge_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/authoring/deformer/blend_groups.h"
#include "engine/character/base/invalid.h"
#include "engine/character/rows/surface_gradient.h"

namespace pelt {
namespace {

void add_figures(MeshBinding& sum, const MeshBinding& other) {
  if (sum.distances.empty()) {
    sum.distances = other.distances;
    sum.remarks = other.remarks;
  } else {
    for (std::size_t i = 0; i < other.distances.size(); ++i) {
      sum.distances[i] = std::max(sum.distances[i], other.distances[i]);
      sum.remarks[i] |= other.remarks[i];
    }
  }
  if (other.cut_error) sum.cut_error = std::max(sum.cut_error.value_or(0), *other.cut_error);
  sum.dropped_elements += other.dropped_elements;
}

// Returns the gradient of the mask if both bindings have gradients, else nothing: with only one of them it would make
// the frames uneven.
std::vector<glm::vec3> mask_gradient_between(const MeshBinding& below, const MeshBinding& above,
                                             std::span<const float> mask, const Mesh& mesh) {
  if (!has_gradients(below) || !has_gradients(above)) return {};
  return SurfaceGradient(mesh.positions, mesh.triangles).of(mask);
}

void lay_rows_over(MeshBinding& below, MeshBinding above, std::span<const float> mask, const Mesh& mesh) {
  const std::vector<glm::vec3> mask_gradient = mask_gradient_between(below, above, mask, mesh);
  lay_groups_over(below, std::move(above), mask, mask_gradient);
}

// Adds a layer that is combined as in Wires, as one more group of influences. At mask 0 the group follows the root
// joint, so that its displacement from the root's motion is 0.
Result<void> combine(MeshBinding& below, const MeshBinding& above, std::span<const float> mask,
                     const PlannedLayer& layer, const Mesh& mesh, CharacterBuilder& builder) {
  if (!below.wires_rows.empty() && below.wires_exponent != *layer.wires) {
    return invalid("{}: mesh '{}' is combined as in Wires with two exponents, {} and {}", layer.label, mesh.name,
                   below.wires_exponent, *layer.wires);
  }
  if (!builder.has_joints()) {
    return invalid("{}: mesh '{}' has no joint to measure displacements from", layer.label, mesh.name);
  }
  SparseRows root;
  const Influence still{builder.root_entry(), 1.0f};
  for (std::size_t i = 0; i < mask.size(); ++i) root.append_row(std::span(&still, 1));
  below.wires_exponent = *layer.wires;
  const std::vector<glm::vec3> mask_gradient = mask_gradient_between(below, above, mask, mesh);
  below.wires_rows.push_back(merge_over(root, above.rows, mask, mask_gradient));
  return {};
}

constexpr std::size_t kMaxInfluences = 8;  // per vertex that partly falls back to linear blend

std::size_t most_influences(const SparseRows& rows) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < rows.row_count(); ++i) most = std::max(most, rows.row(i).size());
  return most;
}

}  // namespace

Result<void> lay_over(MergedLayers& below, MeshBinding above, std::span<const float> mask, const PlannedLayer& layer,
                      const Mesh& mesh, CharacterBuilder& builder) {
  const std::string_view deformer = layer.deformer.name();
  if (!below.binding) {
    below.binding = std::move(above);
    below.deformer = deformer;
    return {};
  }
  if (below.binding->mode != above.mode || (layer.wires && above.mode != BlendMode::kLinear)) {
    return invalid(
        "{}: mesh '{}' cannot mix dual quaternion with another deformer ({} over {}); make the "
        "mask 1 everywhere, or split the mesh",
        layer.label, mesh.name, deformer, below.deformer);
  }
  if (layer.wires && !(below.binding->offset_groups.empty() && above.offset_groups.empty())) {
    return invalid(
        "{}: mesh '{}' cannot be combined as in Wires with a deformer that has its own local points ({} with {}); lay "
        "one over the other, or split the mesh",
        layer.label, mesh.name, deformer, below.deformer);
  }
  add_figures(*below.binding, above);
  below.deformer = fmt::format("{} {} {}", deformer, layer.wires ? "with" : "over", below.deformer);
  if (layer.wires) return combine(*below.binding, above, mask, layer, mesh, builder);
  if (below.binding->rows.influences.size() + above.rows.influences.size() >
      std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: over '{}', mesh '{}' might have more influences than 32 bits can count", layer.label,
                            below.deformer, mesh.name));
  }
  lay_rows_over(*below.binding, std::move(above), mask, mesh);
  return {};
}

void lay_linear_over(MeshBinding& binding, const Mesh& mesh, std::span<const float> left, const TwistSpread& twists,
                     CharacterBuilder& builder) {
  if (std::ranges::all_of(left, [](float share) { return share == 0; })) return;
  MeshBinding linear;
  linear.rows = twists.rows_over_joints(mesh, BlendMode::kLinear, builder, left);
  const std::size_t most = std::max(kMaxInfluences, most_influences(binding.rows));
  lay_rows_over(binding, std::move(linear), left, mesh);
  binding.rows = cut_rows(binding.rows, most, Cut::kContinuous);
}

}  // namespace pelt
