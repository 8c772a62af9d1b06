// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "engine/character/records.h"
#include "engine/curve_skeleton/attach.h"
#include "engine/curve_skeleton/chains.h"
#include "engine/curve_skeleton/curve.h"
#include "engine/curve_skeleton/samples.h"
#include "engine/curve_skeleton/settle.h"
#include "engine/curve_skeleton/tables.h"

namespace pelt::curve_skeleton {
namespace {

// Calls visit(share) for the curves that a vertex is on the most, or half as much.
template <class Visit>
void each_main_share(const Shares& shares, const Visit& visit) {
  for (const std::vector<CurveShare>& vertex : shares) {
    double largest = 0;
    for (const CurveShare& share : vertex) largest = std::max(largest, share.weight);
    for (const CurveShare& share : vertex) {
      if (share.weight >= 0.5 * largest) visit(share.place);
    }
  }
}

// d of the inner anchors for which the rig gives none: the largest distance of skin within f_max along the bones.
void measure_distances(std::span<const Shares> shares, std::span<const std::size_t> shaping,
                       std::vector<Curve>& curves) {
  std::vector<std::vector<bool>> given;
  for (const Curve& curve : curves) {
    std::vector<bool>& own = given.emplace_back();
    for (const CurveAnchor& anchor : curve.anchors) own.push_back(anchor.skin_distance > 0);
  }
  for (const std::size_t t : shaping) {
    each_main_share(shares[t], [&](const CurvePlace& place) {
      Curve& curve = curves[place.curve];
      const float length = curve.bone_length(place.bone);
      const auto offer = [&](std::size_t i, float away) {
        CurveAnchor& anchor = curve.anchors[i];
        if (given[place.curve][i] || away > anchor.float_max) return;
        anchor.skin_distance = std::max(anchor.skin_distance, static_cast<float>(place.distance));
      };
      offer(place.bone, place.lambda * length);
      offer(place.bone + 1, (1 - place.lambda) * length);
    });
  }
}

// How much of a joint's twist the bone up to a tip takes, where the rig does not say (CurveJoint::twist_after).
void settle_twists(const CurveSkeletonParameters& parameters, const Model& model, std::vector<Curve>& curves) {
  for (Curve& curve : curves) {
    const std::vector<Anchor>& anchors = curve.chain.anchors;
    const std::size_t last = anchors.size() - 1;
    const auto settle = [&](std::size_t tip, std::size_t joint, std::size_t bone, std::size_t bone_before) {
      if (anchors[tip].joint != anchors[joint].joint || joint == curve.chain.top) return;
      const float length = curve.bone_length(bone);
      const float slender = length / std::max(curve.anchors[joint].skin_distance, 1e-3f * length);
      const float share = std::clamp(slender - 3, 0.0f, 1.0f);
      curve.anchors[joint].twist_after = share * length / (length + curve.bone_length(bone_before));
    };
    if (last >= 2) {
      settle(last, last - 1, last - 1, last - 2);
      settle(0, 1, 0, 1);
    }
    for (std::size_t i = 1; i < last; ++i) {
      const CurveJoint* joint = joint_settings(parameters, model, curve.chain, i);
      if (joint != nullptr && joint->twist_after) curve.anchors[i].twist_after = *joint->twist_after;
    }
  }
}

// The pass that poses the samples of all curves.
PalettePass make_pass(std::span<const Curve> curves, const Samples& samples, const RestCurves& rest,
                      CurveTable& table) {
  PalettePass pass;
  pass.kernel = PoseKernel::kCurveSkeleton;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const std::uint32_t curve = table.put(curves[c]);
    for (std::uint32_t bone = 0; bone < curves[c].bone_count(); ++bone) {
      const std::vector<float>& lambdas = samples.at[c][bone];
      for (std::size_t k = 0; k < lambdas.size(); ++k) {
        const std::uint32_t word = table.put_sample(curves[c], bone, lambdas[k], rest.frame(c, bone, lambdas[k]));
        if (k % shared::kCurveSlots == 0) append_record(pass.records, shared::CurveRecord{curve, bone, word});
      }
    }
  }
  pass.record_count = static_cast<std::uint32_t>(samples.count / shared::kCurveSlots);
  pass.table = table.take_words();
  return pass;
}

const char* linkage_name(Linkage linkage) {
  switch (linkage) {
    case Linkage::kEnd:
      return "end";
    case Linkage::kTwo:
      return "linear linkage";
    case Linkage::kBifurcation:
      return "bifurcation";
    case Linkage::kCross:
      return "cross";
    case Linkage::kMore:
      return "joint of more than four links";
  }
  return "";
}

void note_curves(std::span<const Curve> curves, const Samples& samples, const Chains& chains,
                 const DeformerInput& input) {
  const std::vector<Joint>& joints = input.model.skeleton.joints;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    std::vector<std::string_view> names;
    for (const Anchor& anchor : curves[c].chain.anchors) {
      if (names.empty() || names.back() != joints[anchor.joint].name) names.push_back(joints[anchor.joint].name);
    }
    input.notes.push_back(fmt::format("{}: the curve '{}' runs over {} with {} samples", input.layer,
                                      curves[c].chain.name, fmt::join(names, ", "), samples.count_of(c)));
  }
  for (const JointLinkage& joint : chains.joints) {
    if (joint.linkage == Linkage::kEnd || joint.linkage == Linkage::kTwo) continue;
    std::vector<std::string_view> names;
    for (const std::size_t c : joint.curves) names.push_back(curves[c].chain.name);
    input.notes.push_back(fmt::format("{}: joint '{}' is a {} of the curves '{}'", input.layer,
                                      joints[joint.joint].name, linkage_name(joint.linkage), fmt::join(names, "', '")));
  }
  for (const std::string& note : chains.notes) input.notes.push_back(fmt::format("{}: {}", input.layer, note));
}

}  // namespace

Result<std::vector<MeshBinding>> bind(const CurveSkeletonParameters& parameters, const DeformerInput& input) {
  const std::vector<std::size_t> shaping = shaping_targets(input);
  std::vector<std::uint32_t> meshes;
  for (const std::size_t t : shaping) meshes.push_back(input.targets[t].mesh);
  const Result<Chains> chains = settle_chains(parameters, input.model, meshes, input.layer);
  if (!chains) return tl::unexpected(chains.error());
  const std::vector<glm::dmat4> at_bind = matrices_at_bind(input.model, meshes);
  Result<std::vector<Curve>> curves =
      settle_curves(parameters, chains->chains, input.model, at_bind, input.layer, input.notes);
  if (!curves) return tl::unexpected(curves.error());

  // Distances need places on the curves, and these, where joints are bent at bind, floats that need distances.
  const AttachSettings settings{
      parameters.binding, {parameters.curves_per_vertex, parameters.curve_reach}, parameters.weights};
  std::vector<Attacher> attachers;
  for (const DeformerTarget& target : input.targets) attachers.emplace_back(settings, *curves, input, target);
  std::vector<Shares> shares(input.targets.size());
  const auto attach_all = [&](double done) -> Result<RestCurves> {
    RestCurves rest = make_rest_curves(*curves, at_bind);
    for (std::size_t t = 0; t < input.targets.size(); ++t) {
      Result<Shares> attached = attachers[t].attach(rest);
      if (!attached) return tl::unexpected(attached.error());
      shares[t] = std::move(*attached);
      input.progress(done + 0.45 * static_cast<double>(t + 1) / static_cast<double>(input.targets.size()));
    }
    return rest;
  };
  Result<RestCurves> rest = attach_all(0.0);
  if (!rest) return tl::unexpected(rest.error());
  measure_distances(shares, shaping, *curves);
  share_distances(*rest, *curves);
  settle_twists(parameters, input.model, *curves);
  rest = attach_all(0.45);
  if (!rest) return tl::unexpected(rest.error());

  const auto place = [&](std::size_t c, std::span<const float> reach, float error) {
    return place_samples((*curves)[c], reach, error, at_bind);
  };
  const Result<Samples> samples = place_all_samples(*rest, shares, parameters.table_error, place, "curves", input);
  if (!samples) return tl::unexpected(samples.error());
  note_curves(*curves, *samples, *chains, input);

  const std::vector<std::uint32_t> inputs = twist_inputs(chains->chains, input);
  CurveTable table(at_bind, inputs);
  const std::uint32_t first_slot = input.builder.add_pass(make_pass(*curves, *samples, *rest, table));
  std::vector<MeshBinding> bindings;
  for (const Shares& target : shares) bindings.push_back(bind_to_tables(*rest, *samples, first_slot, target));
  input.progress(1.0);
  return bindings;
}

}  // namespace pelt::curve_skeleton
