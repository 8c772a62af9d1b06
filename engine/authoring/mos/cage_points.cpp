// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/cage_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <pelt/mos.h>
#include <pelt/try.h>

#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/tables.h"
#include "engine/authoring/deformer/find_cage.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/authoring/rows/strongest_influence.h"

namespace pelt::mos {
namespace {

using chain::Chain;
using chain::Chains;

// Returns the joint that moves a vertex the most.
std::optional<std::uint32_t> strongest_joint(const Mesh& mesh, std::uint32_t vertex, const Model& model) {
  if (!has_weights(mesh)) return std::nullopt;
  const std::span<const Influence> row = mesh.weights.row(vertex);
  if (row.empty()) return std::nullopt;
  return model.bound_joints[strongest_influence(row).index].joint;
}

// Makes a point move with the nearest bone of the chains. Near a joint between two bones it has a part of its turn:
// half of it at the joint, and none or all of it where it is as far along the bone from the joint as it is away from
// the bone.
void follow_bones(std::span<const Chain> chains, ControlPoint& point) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::uint32_t c = 0; c < chains.size(); ++c) {
    const Chain& chain = chains[c];
    const std::size_t last = chain.anchors.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
      const glm::dvec3 from(chain.anchors[i].position);
      const glm::dvec3 way = glm::dvec3(chain.anchors[i + 1].position) - from;
      const double length = glm::length(way);
      const double along = std::clamp(glm::dot(point.position - from, way) / length, 0.0, length);
      const double away = glm::distance(point.position, from + way * (along / length));
      if (!(away < nearest)) continue;
      nearest = away;
      const std::size_t upper = i >= chain.top ? i : i + 1;
      point.joint = chain.anchors[upper].joint;
      point.turn.reset();
      const bool first_is_nearer = along < length - along;
      const std::size_t end = first_is_nearer ? i : i + 1;
      const double part = (first_is_nearer ? along : length - along) / std::max(away, 1e-9 * length);
      if (end == 0 || end == last || end == chain.top || part >= 1) continue;
      const bool below = end == upper;  // the bone is the joint's own
      const auto swing = static_cast<float>(below ? 0.5 + 0.5 * part : 0.5 - 0.5 * part);
      point.joint = chain.anchors[end].joint;
      point.turn = PointTurn{c, static_cast<std::uint32_t>(end), swing, swing, glm::vec3(way / length), false};
    }
  }
}

}  // namespace

Result<ControlPoints> settle_cage(const MosParameters& parameters, std::span<const std::uint32_t> meshes,
                                  const DeformerInput& input, std::optional<CageSurface>& cage) {
  PELT_ASSIGN(const auto found, find_cage(parameters.cage, parameters.cage_file, input));
  const auto& [cage_mesh, mesh] = found;
  if (cage_mesh.points.size() > chain::kMaxSlots) {
    return invalid(input,
                   fmt::format("its cage has {} points, more than {}", cage_mesh.points.size(), chain::kMaxSlots));
  }
  PELT_ASSIGN(cage, within(input.layer, CageSurface::create(cage_mesh.points, cage_mesh.faces)));
  ControlPoints result;
  const chain::ChainOptions options{parameters.split, parameters.remove, {}, true};
  for (std::uint32_t p = 0; p < cage_mesh.points.size(); ++p) {
    ControlPoint& point = result.points.emplace_back();
    point.name = std::to_string(cage_mesh.source_vertex[p]);
    point.position = cage_mesh.points[p];
    const auto joint = mesh == nullptr ? std::nullopt : strongest_joint(*mesh, cage_mesh.source_vertex[p], input.model);
    if (joint) {
      point.joint = *joint;
      continue;
    }
    if (result.turning.empty()) {
      PELT_ASSIGN(auto chains, within(input.layer, chain::find_chains(input.model, meshes, options)));
      for (const Chain& chain : chains.chains) PELT_TRY(chain::check_length(chain, input.layer));
      result.turning = std::move(chains.chains);
    }
    follow_bones(result.turning, point);
  }
  return result;
}

}  // namespace pelt::mos
