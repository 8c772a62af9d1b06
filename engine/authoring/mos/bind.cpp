// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include <pelt/mos.h>
#include <pelt/try.h>

#include "engine/authoring/chain/attach.h"
#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/curve.h"
#include "engine/authoring/mos/b_spline.h"
#include "engine/authoring/mos/cage_points.h"
#include "engine/authoring/mos/cloud.h"
#include "engine/authoring/mos/control_points.h"
#include "engine/authoring/mos/edits.h"

namespace pelt::mos {
namespace {

Result<void> check_chains_and_edits(const MosParameters& parameters, const DeformerInput& input) {
  std::set<std::string_view> names;
  for (const MosChain& chain : parameters.chains) {
    if (!names.insert(chain.name).second) {
      return invalid(input, fmt::format("there is another chain '{}'", chain.name));
    }
  }
  const bool by_cage = parameters.strategy == MosStrategy::kCatmullClark;
  if (by_cage && !parameters.chains.empty()) {
    return invalid(input, "chains of the rig do not go with the strategy 'catmull_clark': the cage has the points");
  }
  for (const MosEdit& edit : parameters.edits) {
    if (edit.driver.has_value() != !edit.share.empty()) {
      return invalid(input, "an edit's share is keyed over the angle of a driver: neither goes alone");
    }
    if (!(edit.scale.x > 0 && edit.scale.y > 0 && edit.scale.z > 0)) {
      return invalid(input, "the scale of an edit is not above 0");
    }
  }
  const bool twists = std::any_of(parameters.edits.begin(), parameters.edits.end(),
                                  [](const MosEdit& edit) { return edit.operation == MosOperation::kTwist; });
  if (twists && (parameters.strategy != MosStrategy::kBSpline || !parameters.twist)) {
    return invalid(input, "control points are twisted, which the strategy 'b_spline' with 'twist' alone can blend");
  }
  return {};
}

}  // namespace

Result<std::vector<MeshBinding>> bind(const MosParameters& parameters, const DeformerInput& input) {
  PELT_TRY(check_chains_and_edits(parameters, input));
  if (!input.builder.has_joints()) return invalid(input, "the model has no joints for control points to follow");
  std::vector<std::uint32_t> meshes;
  for (const std::size_t t : chain::shaping_targets(input)) meshes.push_back(input.targets[t].mesh);
  const std::vector<glm::dmat4> at_bind = chain::matrices_at_bind(input.model, meshes);
  const bool by_spline = parameters.strategy == MosStrategy::kBSpline;
  std::optional<CageSurface> cage;
  PELT_ASSIGN(auto points, parameters.strategy == MosStrategy::kCatmullClark
                               ? settle_cage(parameters, meshes, input, cage)
                               : settle_points(parameters, input.model, meshes, at_bind, by_spline && parameters.twist,
                                               input.layer, chain::twist_after));
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
