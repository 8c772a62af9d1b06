// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <pelt/mos.h>
#include <pelt/try.h>

#include "engine/authoring/chain/attach.h"
#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/curve.h"
#include "engine/authoring/chain/passages.h"
#include "engine/authoring/chain/tables.h"
#include "engine/authoring/deformer/find_cage.h"
#include "engine/authoring/mos/b_spline.h"
#include "engine/authoring/mos/cloud.h"
#include "engine/authoring/mos/control_points.h"
#include "engine/authoring/mos/edits.h"
#include "engine/authoring/mos/strategies.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/authoring/rows/row_weights.h"

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

// Makes a point move with the nearest bone of the chains. Near a joint between two bones it makes part of the joint's
// turn: half of it at the joint, and none or all of it where its distance along the bone from the joint equals that
// from the bone.
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

// Returns one point per vertex of the rig's cage, without chains; the name of a point is the number of its vertex. Each
// point moves with the cage's strongest joint there. Without weights, it moves with the nearest bone of the chains laid
// over the skeleton, and near a joint (nearer than to the bone) it makes part of the joint's turn. Errors: a mesh or
// file that does not exist or is no cage.
Result<ControlPoints> settle_cage(const MosParameters& parameters, std::span<const std::uint32_t> meshes,
                                  const DeformerInput& input, std::optional<CageSurface>& cage) {
  PELT_ASSIGN(const auto found, find_cage(parameters.cage, parameters.cage_file, input));
  const auto& [cage_mesh, mesh] = found;
  if (cage_mesh.points.size() > chain::kMaxEntries) {
    return invalid(input,
                   fmt::format("its cage has {} points, more than {}", cage_mesh.points.size(), chain::kMaxEntries));
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

Result<void> check_chains(const MosParameters& parameters, const DeformerInput& input) {
  std::set<std::string_view> names;
  for (const MosChain& chain : parameters.chains) {
    if (!names.insert(chain.name).second) {
      return invalid(input, fmt::format("chain '{}' exists twice", chain.name));
    }
  }
  const bool by_cage = parameters.strategy == MosStrategy::kCatmullClark;
  if (by_cage && !parameters.chains.empty()) {
    return invalid(input, "strategy 'catmull_clark' cannot have chains: the cage has the points");
  }
  return {};
}

}  // namespace

Result<std::vector<MeshBinding>> bind(const MosParameters& parameters, const DeformerInput& input) {
  PELT_TRY(check_chains(parameters, input));
  if (!input.builder.has_joints()) return invalid(input, "the model has no joints for control points to follow");
  std::vector<std::uint32_t> meshes;
  std::vector<std::span<const float>> masks;
  for (const std::size_t t : chain::shaping_targets(input)) {
    meshes.push_back(input.targets[t].mesh);
    masks.push_back(input.targets[t].mask);
  }
  const std::vector<glm::dmat4> at_bind = chain::matrices_at_bind(input.model, meshes);
  const bool by_spline = parameters.strategy == MosStrategy::kBSpline;
  std::optional<CageSurface> cage;
  PELT_ASSIGN(auto points, parameters.strategy == MosStrategy::kCatmullClark
                               ? settle_cage(parameters, meshes, input, cage)
                               : settle_points(parameters, input.model, meshes, at_bind, by_spline && parameters.twist,
                                               input.layer, chain::twists_after(input.model), masks));
  if (points.points.empty()) return invalid(input, "there are no control points");
  for (const std::string& note : points.notes) input.notes.push_back(fmt::format("{}: {}", input.layer, note));
  PELT_ASSIGN(const auto edits, resolve_edits(parameters.edits, points, input.model, at_bind, input.layer));
  PELT_ASSIGN(auto bindings, by_spline ? bind_b_spline(parameters, points, edits, at_bind, input)
                                       : bind_cloud(parameters, points, cage, edits, at_bind, input));
  for (const ControlPoint& point : points.points) {
    input.points.push_back({.layer = input.rig_layer,
                            .name = point.name,
                            .placed = point.placed,
                            .joint = point.joint,
                            .rest = glm::vec3(point.position),
                            .listed = point.listed.has_value(),
                            .place = point.listed
                                         ? fmt::format("/chains/{}/points/{}/offset", point.listed->x, point.listed->y)
                                         : "/edits"});
  }
  input.progress(1.0);
  return bindings;
}

}  // namespace pelt::mos
