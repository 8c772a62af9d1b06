// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/passages.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/authoring/chain/trust.h"
#include "engine/authoring/deformer/twist_spread.h"

namespace pelt::chain {
namespace {

constexpr double kShown = 0.5;  // part of the skin across a joint from which on its bend counts as shown

glm::dvec3 direction(const Chain& chain, std::size_t bone) {
  return glm::normalize(glm::dvec3(chain.anchors[bone + 1].position) - glm::dvec3(chain.anchors[bone].position));
}

}  // namespace

void measure_passages(const Model& model, std::span<const std::uint32_t> meshes,
                      std::span<const std::span<const float>> masks, std::span<Curve> curves) {
  struct Moments {
    double weight = 0, first = 0, second = 0, shown = 0;
  };
  const Trust trust(model, curves);
  std::vector<std::vector<Moments>> moments;
  for (const Curve& curve : curves) moments.emplace_back(curve.anchors.size());
  for (std::size_t k = 0; k < meshes.size(); ++k) {
    const Mesh& mesh = model.meshes[meshes[k]];
    if (!has_weights(mesh)) continue;
    const std::vector<double> areas = vertex_areas(mesh.positions, mesh.triangles);
    for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
      for (const std::uint32_t c : trust.curves_of(mesh.weights.row(v))) {
        const Chain& chain = curves[c].chain;
        const auto [least, most] = trust.anchors_of(c, mesh.weights.row(v));
        for (std::size_t i = std::max<std::size_t>(least, 1); i <= most && i + 1 < chain.anchors.size(); ++i) {
          if (i == chain.top || chain.anchors[i].is_branch) continue;
          const float beyond = trust.share_beyond(c, i, mesh.weights.row(v)).value_or(0.0f);
          const double mixed = areas[v] * double{beyond} * (1 - double{beyond});
          if (!(mixed > 0)) continue;
          const glm::dvec3 along = direction(chain, i - 1) + direction(chain, i);
          const glm::dvec3 off(mesh.positions[v] - chain.anchors[i].position);
          const double way = glm::dot(off, along) / glm::length(along);
          Moments& sum = moments[c][i];
          const double shown = masks.empty() ? mixed : mixed * masks[k][v];
          sum = {sum.weight + mixed, sum.first + mixed * way, sum.second + mixed * way * way, sum.shown + shown};
        }
      }
    }
  }
  // The weights m of an even passage from -w to w have a variance of w^2 / 5 by m (1 - m).
  for (std::size_t c = 0; c < curves.size(); ++c) {
    for (std::size_t i = 0; i < moments[c].size(); ++i) {
      const Moments& sum = moments[c][i];
      const double mean = sum.first / sum.weight;
      const double half = std::sqrt(5 * std::max(sum.second / sum.weight - mean * mean, 0.0));
      curves[c].anchors[i].passage = sum.weight > 0 && std::isfinite(half) ? static_cast<float>(half) : 0.0f;
      if (sum.weight > 0)
        curves[c].anchors[i].shown = static_cast<float>(glm::smoothstep(0.0, kShown, sum.shown / sum.weight));
    }
  }
}

std::function<float(const Curve&, std::size_t)> twists_after(const Model& model) {
  std::vector<float> spread(model.skeleton.joints.size(), 0.0f);
  const TwistSpread twists(model, Twist::kSpread);
  for (const TwistSpread::Bone& bone : twists.bones()) {
    if (bone.own) spread[model.bound_joints[bone.bound].joint] = static_cast<float>(bone.room);
  }
  return [spread = std::move(spread)](const Curve& curve, std::size_t i) {
    return std::lerp(spread[curve.chain.anchors[i].joint], twist_after(curve, i), curve.anchors[i].shown);
  };
}

glm::vec2 bones_at(const Curve& curve, std::size_t anchor, std::span<const JointUse> uses) {
  const std::size_t last = curve.anchors.size() - 1;
  const auto is_helper = [&](std::size_t i) { return uses[curve.chain.anchors[i].joint].kind == JointKind::kTwist; };
  if (anchor == 0 || anchor == last || is_helper(anchor)) return glm::vec2(0.0f);
  std::size_t before = anchor - 1, after = anchor + 1;
  while (before > 0 && is_helper(before)) --before;
  while (after < last && is_helper(after)) ++after;
  return {curve.lengths[anchor] - curve.lengths[before], curve.lengths[after] - curve.lengths[anchor]};
}

bool bends_meet(const Curve& curve, std::size_t anchor, std::span<const JointUse> uses) {
  if (!(curve.anchors[anchor].passage > 0)) return false;
  const glm::vec2 bones = bones_at(curve, anchor, uses);
  return bones != glm::vec2(0.0f) && curve.anchors[anchor].passage >= 0.5f * std::max(bones.x, bones.y);
}

}  // namespace pelt::chain
