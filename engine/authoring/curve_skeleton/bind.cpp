// SPDX-License-Identifier: MIT
#include "engine/authoring/curve_skeleton/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include <pelt/curve_skeleton.h>
#include <pelt/try.h>

#include "engine/authoring/chain/attach.h"
#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/curve.h"
#include "engine/authoring/chain/passages.h"
#include "engine/authoring/chain/samples.h"
#include "engine/authoring/chain/tables.h"
#include "engine/authoring/curve_skeleton/resolve_curves.h"
#include "engine/character/records.h"

namespace pelt::curve_skeleton {

using namespace chain;

namespace {

// Mean deviation from the mean radius of the skin round a joint, relative to it: of a tube, which swells at a bend and
// is pressed flat on its inside, and of flesh, which overlaps there and follows its painting more closely.
constexpr double kTube = 0.005, kFlesh = 0.04;

constexpr float kShort = 0.6f;  // contact up to which flesh turns about the joint

bool is_limb(JointRole role) { return role >= JointRole::kUpperArm && role <= JointRole::kToes; }

// Calls visit(vertex, point) for the curve that a vertex follows most, and for those that it follows at least half as
// much.
template <class Visit>
void each_main_share(const Shares& shares, const Visit& visit) {
  for (std::size_t v = 0; v < shares.size(); ++v) {
    double largest = 0;
    for (const CurveShare& share : shares[v]) largest = std::max(largest, share.weight);
    for (const CurveShare& share : shares[v]) {
      if (share.weight >= 0.5 * largest) visit(v, share.place);
    }
  }
}

// Returns the distance that 90% of the area is within; `weighed` holds pairs of distance and area.
double usual_distance(std::vector<std::pair<double, double>>& weighed) {
  constexpr double kUsual = 0.9;
  std::ranges::sort(weighed);
  double left = 0;
  for (const auto& [distance, area] : weighed) left += (1 - kUsual) * area;
  for (std::size_t i = weighed.size(); i-- > 0;) {
    left -= weighed[i].second;
    if (left <= 0) return weighed[i].first;
  }
  return 0;
}

// Measures the skin distance d of anchors for which the rig has none. On each bone at the anchor it is the distance of
// nine tenths of the area of the skin within f_max, since a skirt or a sheath may be farther away. The thinner bone
// counts, since a limb begins in a trunk.
void measure_distances(std::span<const Shares> shares, std::span<const std::size_t> shaping, const DeformerInput& input,
                       std::vector<Curve>& curves) {
  using Sides = std::array<std::vector<std::pair<double, double>>, 2>;  // distance and area, before and after an anchor
  std::vector<std::vector<Sides>> near;
  for (const Curve& curve : curves) near.emplace_back(curve.anchors.size());
  for (const std::size_t t : shaping) {
    const Mesh& mesh = input.model.meshes[input.targets[t].mesh];
    const std::vector<double> areas = vertex_areas(mesh.positions, mesh.triangles);
    each_main_share(shares[t], [&](std::size_t vertex, const CurveLocation& place) {
      const Curve& curve = curves[place.curve];
      const float length = curve.bone_length(place.bone);
      const auto offer = [&](std::size_t i, std::size_t side, float away) {
        if (away <= curve.anchors[i].float_max) near[place.curve][i][side].emplace_back(place.distance, areas[vertex]);
      };
      offer(place.bone, 1, place.lambda * length);
      offer(place.bone + 1, 0, (1 - place.lambda) * length);
    });
  }
  for (std::size_t c = 0; c < curves.size(); ++c) {
    for (std::size_t i = 0; i < near[c].size(); ++i) {
      float& distance = curves[c].anchors[i].skin_distance;
      if (distance > 0) continue;
      const double before = usual_distance(near[c][i][0]);
      const double after = usual_distance(near[c][i][1]);
      distance = static_cast<float>(before > 0 && after > 0 ? std::min(before, after) : std::max(before, after));
    }
  }
}

// If bends meet, the curve is round throughout: its automatic frames turn over the whole bones.
void round_meeting_bends(const Skeleton& skeleton, std::vector<Curve>& curves) {
  const std::vector<JointUse> uses = joint_uses(skeleton);
  for (Curve& curve : curves) {
    for (std::size_t i = 0; i < curve.anchors.size(); ++i) {
      if (curve.frames != CurveFrames::kAuto || !bends_meet(curve, i, uses)) continue;
      CurveAnchor& anchor = curve.anchors[i];
      anchor.float_min = std::max(anchor.float_min, anchor.passage);
      anchor.float_max = std::max(anchor.float_max, anchor.float_min);
    }
  }
}

// Measures the sections at joints, and how narrow a bend is: long bones meet on its inside, as at an elbow.
void settle_contacts(std::span<const Shares> shares, std::span<const std::size_t> shaping, const RestCurves& rest,
                     const DeformerInput& input, std::vector<Curve>& curves) {
  struct Skin {
    glm::vec3 position;
    float lambda;
    double area;
  };
  std::vector<std::vector<std::vector<Skin>>> skins;  // of each bone of each curve
  for (const Curve& curve : curves) skins.emplace_back(curve.bone_count());
  for (const std::size_t t : shaping) {
    const Mesh& mesh = input.model.meshes[input.targets[t].mesh];
    const std::vector<double> areas = vertex_areas(mesh.positions, mesh.triangles);
    each_main_share(shares[t], [&](std::size_t vertex, const CurveLocation& place) {
      const CurveLocation at = rest.original(place);
      skins[at.curve][at.bone].push_back({mesh.positions[vertex], at.lambda, areas[vertex]});
    });
  }
  const std::vector<JointUse> uses = joint_uses(input.model.skeleton);
  for (std::uint32_t c = 0; c < curves.size(); ++c) {
    Curve& curve = curves[c];
    for (std::size_t i = 1; i + 1 < curve.anchors.size(); ++i) {
      CurveAnchor& anchor = curve.anchors[i];
      if (curve.frames != CurveFrames::kAuto || anchor.eases || curve.chain.anchors[i].is_branch) continue;
      if (!(anchor.skin_distance > 0)) continue;
      double area = 0, distance = 0;
      glm::dvec2 sum(0.0);
      std::vector<std::pair<glm::dvec2, double>> near;
      for (const std::size_t bone : {i - 1, i}) {
        const float length = curve.bone_length(bone);
        const BoneCopy& from = rest.original(c, bone);
        for (const Skin& skin : skins[from.curve][from.bone]) {
          const float lambda = from.reversed ? 1 - skin.lambda : skin.lambda;
          if ((bone < i ? 1 - lambda : lambda) * length > anchor.skin_distance) continue;
          const Affine frame = rest.frame(c, bone, lambda);
          const glm::vec3 off = skin.position - shared::affine_origin(frame);
          const glm::mat3 axes = shared::affine_axes(frame);
          const auto along = [&](int axis) { return glm::dot(off, axes[axis]) / glm::dot(axes[axis], axes[axis]); };
          near.emplace_back(glm::dvec2(along(1), along(2)), skin.area);
          area += skin.area;
          sum += skin.area * near.back().first;
        }
      }
      if (!(area > 0)) continue;
      for (const auto& [at, weight] : near) distance += weight * glm::distance(at, sum / area);
      double uneven = 0;
      for (const auto& [at, weight] : near) {
        uneven += weight * std::abs(glm::distance(at, sum / area) - distance / area);
      }
      anchor.tube = static_cast<float>(1 - glm::smoothstep(kTube, kFlesh, uneven / std::max(distance, 1e-20)));
      anchor.section = sum / area;
      if (!bends_meet(curve, i, uses)) {
        const glm::vec2 bones = bones_at(curve, i, uses);
        const auto room = [&](float before, float after) {
          return std::clamp(std::min(before, after) / anchor.skin_distance - 2, 0.0f, 1.0f);
        };
        anchor.contact = room(bones.x, bones.y);
        if (anchor.contact > 0.5f) anchor.radius = static_cast<float>(distance / area);
        // A limb at a trunk bends less widely, but meets nothing.
        const auto is_trunk = [&](std::size_t other) { return curve.chain.anchors[other].is_branch; };
        const float limb = room(is_trunk(i - 1) ? bones.y : bones.x, is_trunk(i + 1) ? bones.x : bones.y);
        anchor.contact = std::max(anchor.contact, 0.8f * limb);
      }
      // Limbs turn about their joints as flesh does, except between long bones. Trunks, tails and tentacles bend over
      // several.
      if (is_limb(uses[curve.chain.anchors[i].joint].role)) {
        anchor.around = 1 - glm::smoothstep(kShort, 1.0f, anchor.contact);
        anchor.tube *= 1 - anchor.around;
      }
      if (anchor.tube == 0) anchor.radius = 0;
      anchor.bulge.volume *= anchor.tube;
    }
  }
}

// Sets twist_after of every inner anchor: the value in the rig (CurveJoint::twist_after), else that of
// twists_after().
void settle_twists(const CurveSkeletonParameters& parameters, const Model& model, std::vector<Curve>& curves) {
  const auto usual = twists_after(model);
  for (Curve& curve : curves) {
    for (std::size_t i = 1; i + 1 < curve.anchors.size(); ++i) {
      if (i == curve.chain.top) continue;
      const CurveJoint* joint = joint_settings(parameters, model, curve.chain, i);
      const bool is_given = joint != nullptr && joint->twist_after;
      curve.anchors[i].twist_after = is_given ? *joint->twist_after : usual(curve, i);
    }
  }
}

// Adds the passes that pose all curves: their anchors, their steps if frames are automatic, and their samples. Returns
// the palette entry of the first sample.
std::uint32_t add_passes(std::span<const Curve> curves, const Samples& samples, const RestCurves& rest, bool by_steps,
                         CurveTable& table, CharacterBuilder& builder) {
  std::vector<std::uint32_t> words;
  for (const Curve& curve : curves) words.push_back(table.put(curve));
  table.place_anchors(builder.add_pass(table.anchor_pass()));
  if (by_steps) table.place_steps(builder.add_pass(table.step_pass()));
  PalettePass pass;
  pass.stage = by_steps ? 2 : 1;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const std::uint32_t curve = words[c];
    for (std::uint32_t bone = 0; bone < curves[c].bone_count(); ++bone) {
      const std::vector<float>& lambdas = samples.at[c][bone];
      for (std::size_t k = 0; k < lambdas.size(); ++k) {
        const std::uint32_t word = table.put_sample(curves[c], bone, lambdas[k], rest.frame(c, bone, lambdas[k]));
        if (k % shared::kCurveEntries == 0) append_record(pass.records, shared::CurveRecord{curve, bone, word});
      }
    }
  }
  pass.kernel = by_steps ? PoseKernel::kCurveSkeleton : PoseKernel::kSplineCurve;
  pass.record_count = static_cast<std::uint32_t>(samples.count / shared::kCurveEntries);
  pass.table = table.take_words();
  return builder.add_pass(std::move(pass));
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
  std::vector<std::span<const float>> masks;
  for (const std::size_t t : shaping) {
    meshes.push_back(input.targets[t].mesh);
    masks.push_back(input.targets[t].mask);
  }
  PELT_ASSIGN(const auto chains, resolve_chains(parameters, input.model, meshes, input.layer));
  const std::vector<glm::dmat4> at_bind = matrices_at_bind(input.model, meshes);
  PELT_ASSIGN(auto curves, resolve_curves(parameters, chains.chains, input.model, at_bind, input.layer, input.notes));

  // Skin distances need positions on the curves. If joints are bent at bind, positions need floats, and floats need
  // distances: so attach twice.
  const AttachSettings settings{parameters.binding,
                                {parameters.curves_per_vertex, parameters.curve_reach},
                                parameters.weights,
                                {},
                                largest_extent(input)};
  const Attacher attacher(settings, curves, input);
  std::vector<Shares> shares;
  const auto attach_all = [&](double done) -> Result<RestCurves> {
    RestCurves rest = make_rest_curves(curves, at_bind);
    PELT_ASSIGN(auto attached, attacher.attach(rest, [&](double part) { input.progress(done + 0.45 * part); }));
    shares = std::move(attached);
    return rest;
  };
  PELT_ASSIGN(auto rest, attach_all(0.0));
  measure_distances(shares, shaping, input, curves);
  measure_passages(input.model, meshes, masks, curves);
  share_distances(rest, curves);
  round_meeting_bends(input.model.skeleton, curves);
  settle_contacts(shares, shaping, rest, input, curves);
  settle_twists(parameters, input.model, curves);
  lay_on_lines(parameters, input.model, at_bind, curves);
  PELT_ASSIGN(rest, attach_all(0.45));

  const auto place = [&](std::size_t c, std::span<const float> reach, float error) {
    return place_samples(curves[c], reach, error, at_bind);
  };
  PELT_ASSIGN(const auto samples, place_all_samples(rest, shares, parameters.table_error, place, "curves", input));
  note_curves(curves, samples, chains, input);

  const std::vector<std::uint32_t> inputs = twist_inputs(chains.chains, input);
  CurveTable table(at_bind, inputs);
  const std::uint32_t first_entry =
      add_passes(curves, samples, rest, parameters.frames == CurveFrames::kAuto, table, input.builder);
  std::vector<MeshBinding> bindings;
  for (const Shares& target : shares) bindings.push_back(bind_to_tables(rest, samples, first_entry, target));
  input.progress(1.0);
  return bindings;
}

}  // namespace pelt::curve_skeleton
