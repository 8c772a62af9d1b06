// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "engine/binding/table_rows.h"
#include "engine/character/records.h"
#include "engine/curve_skeleton/attach.h"
#include "engine/curve_skeleton/chains.h"
#include "engine/curve_skeleton/curve.h"
#include "engine/curve_skeleton/samples.h"
#include "engine/curve_skeleton/settle.h"

namespace pelt::curve_skeleton {
namespace {

constexpr std::size_t kMostSlots = 65536;  // what 16 bits of a row count

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

// Where the table's samples of every curve are, and the palette entries that they write.
struct Samples {
  std::vector<std::vector<std::vector<float>>> lambdas;  // of each curve, of each bone
  std::vector<std::vector<std::uint32_t>> first;         // the first sample's number among all, of each bone
  std::size_t count = 0;
};

Samples place_all_samples(std::span<const Curve> curves, std::span<const Shares> shares, float error,
                          std::span<const glm::dmat4> at_bind) {
  std::vector<std::vector<float>> reach;  // of the skin, at each bone; 0: none is there
  for (const Curve& curve : curves) reach.emplace_back(curve.bone_count(), 0.0f);
  for (const Shares& target : shares) {
    for (const std::vector<CurveShare>& vertex : target) {
      for (const CurveShare& share : vertex) {
        float& own = reach[share.place.curve][share.place.bone];
        own = std::max(own, static_cast<float>(std::max(share.place.distance * share.weight, 1e-9)));
      }
    }
  }
  Samples samples;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    samples.lambdas.push_back(place_samples(curves[c], reach[c], error, at_bind));
    std::vector<std::uint32_t>& first = samples.first.emplace_back();
    for (const std::vector<float>& bone : samples.lambdas.back()) {
      first.push_back(static_cast<std::uint32_t>(samples.count));
      samples.count += bone.size();
    }
  }
  return samples;
}

// The pass that poses the samples of all curves.
PalettePass make_pass(std::span<const Curve> curves, const Samples& samples, const RestCurves& rest,
                      CurveTable& table) {
  PalettePass pass;
  pass.kernel = PoseKernel::kCurveSkeleton;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const std::uint32_t curve = table.put(curves[c]);
    for (std::uint32_t bone = 0; bone < curves[c].bone_count(); ++bone) {
      const std::vector<float>& lambdas = samples.lambdas[c][bone];
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

MeshBinding make_binding(std::span<const Curve> curves, const Samples& samples, std::uint32_t first_slot,
                         const Shares& shares) {
  MeshBinding binding;
  std::vector<WeightedElement> row;
  std::vector<Slope> slopes;
  for (const std::vector<CurveShare>& vertex : shares) {
    row.clear();
    slopes.clear();
    double distance = vertex.empty() ? -1 : vertex[0].place.distance;
    for (const CurveShare& share : vertex) {
      const CurvePlace& place = share.place;
      const TablePiece piece{samples.lambdas[place.curve][place.bone],
                             first_slot + samples.first[place.curve][place.bone]};
      const double length = curves[place.curve].bone_length(place.bone);
      append_between(piece, place.lambda, share.weight, glm::dvec3(place.slope) / length, row, slopes);
      distance = std::min(distance, place.distance);
    }
    append_row(binding.rows, row);
    binding.slopes.append_row(slopes);
    binding.distances.push_back(static_cast<float>(distance));
  }
  binding.remarks.assign(shares.size(), 0);
  return binding;
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
    std::size_t count = 0;
    for (const std::vector<float>& bone : samples.lambdas[c]) count += bone.size();
    input.notes.push_back(fmt::format("{}: the curve '{}' runs over {} with {} samples", input.layer,
                                      curves[c].chain.name, fmt::join(names, ", "), count));
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

// Of the joints that twist on a curve: every one but its top.
std::vector<std::uint32_t> twist_inputs(std::span<const Curve> curves, const DeformerInput& input) {
  std::vector<std::uint32_t> inputs(input.model.skeleton.joints.size(), shared::kNoInput);
  for (const Curve& curve : curves) {
    const std::vector<Anchor>& anchors = curve.chain.anchors;
    const std::uint32_t top = anchors[curve.chain.top].joint;
    for (const Anchor& anchor : anchors) {
      if (anchor.joint != top) inputs[anchor.joint] = input.builder.twist_input(anchor.joint);
    }
  }
  return inputs;
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

  float error = parameters.table_error * largest_extent(input);
  Samples samples = place_all_samples(*curves, shares, error, at_bind);
  const float asked = error;
  while (samples.count > kMostSlots && error < 100 * asked) {
    error *= 2;
    samples = place_all_samples(*curves, shares, error, at_bind);
  }
  if (samples.count > kMostSlots) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: {} curves take {} samples, more than {}", input.layer,
                                                     curves->size(), samples.count, kMostSlots));
  }
  if (error > asked) {
    input.notes.push_back(
        fmt::format("{}: the tables of the curves may be off by {:.3g} m instead of {:.3g} m, so that "
                    "they have no more than {} samples",
                    input.layer, error, asked, kMostSlots));
  }
  note_curves(*curves, samples, *chains, input);

  const std::vector<std::uint32_t> inputs = twist_inputs(*curves, input);
  CurveTable table(at_bind, inputs);
  const std::uint32_t first_slot = input.builder.add_pass(make_pass(*curves, samples, *rest, table));
  std::vector<MeshBinding> bindings;
  for (const Shares& target : shares) bindings.push_back(make_binding(*curves, samples, first_slot, target));
  input.progress(1.0);
  return bindings;
}

}  // namespace pelt::curve_skeleton
