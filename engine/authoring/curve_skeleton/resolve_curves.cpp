// SPDX-License-Identifier: MIT
#include "engine/authoring/curve_skeleton/resolve_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include <pelt/curve_keys.h>
#include <pelt/curve_skeleton.h>
#include <pelt/finite.h>
#include <pelt/try.h>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/base/not_found.h"
#include "engine/authoring/chain/bendy.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/character/base/invalid.h"

namespace pelt::curve_skeleton {

using namespace chain;

namespace {

// Returns the number of control points of a curve. They are numbered J_0, (B_i-, J_i, B_i+) .., J_n for n + 1 anchors.
std::size_t control_count(const Chain& chain) { return 3 * chain.anchors.size() - 4; }

bool is_anchor(const Chain& chain, std::uint32_t number) {
  return number == 0 || number + 1 == control_count(chain) || number % 3 == 2;
}

Result<void> check_offsets(const CurvePath& path, const Chain& chain, const std::string& what) {
  for (const VertexOffset& offset : path.control_offsets) {
    if (offset.vertex >= control_count(chain)) {
      return invalid("{}: offsets control point {}, but there are {} on the curve '{}'", what, offset.vertex,
                     control_count(chain), chain.name);
    }
    if (!is_near(offset.offset)) {
      return invalid("{}: the offset of control point {} of the curve '{}' must be finite and at most {:g} m", what,
                     offset.vertex, chain.name, kMaxCoordinate);
    }
  }
  return {};
}

const CurvePath* find_path(const CurveSkeletonParameters& parameters, const std::string& name) {
  const auto found = std::find_if(parameters.curves.begin(), parameters.curves.end(),
                                  [&](const CurvePath& path) { return path.name == name; });
  return found == parameters.curves.end() ? nullptr : &*found;
}

// Returns the lines that a curve was drawn as; nullptr without. Errors: no such mesh of lines.
Result<const MeshLines*> find_lines(const CurvePath& path, const Model& model, const std::string& what) {
  if (path.line.empty()) return nullptr;
  const auto found = std::ranges::find(model.lines, path.line, &MeshLines::mesh);
  if (found == model.lines.end()) return not_found(what, "mesh of lines", path.line, model.lines, &MeshLines::mesh);
  return &*found;
}

// Returns the nearest point of lines.
glm::vec3 nearest_on(const MeshLines& lines, const Model& model, glm::vec3 point) {
  const std::vector<glm::vec3>& positions = model.find_mesh(lines.mesh)->positions;
  glm::dvec3 nearest(positions[lines.segments[0].x]);
  for (const glm::uvec2 segment : lines.segments) {
    const glm::dvec3 from(positions[segment.x]);
    const glm::dvec3 way = glm::dvec3(positions[segment.y]) - from;
    const double squared = glm::dot(way, way);
    const double along = squared > 0 ? std::clamp(glm::dot(glm::dvec3(point) - from, way) / squared, 0.0, 1.0) : 0.0;
    const glm::dvec3 place = from + along * way;
    if (glm::distance(place, glm::dvec3(point)) < glm::distance(nearest, glm::dvec3(point))) nearest = place;
  }
  return nearest;
}

float largest_key(const std::vector<CurveKey>& keys) {
  float largest = 0;
  for (const CurveKey& key : keys) largest = std::max(largest, key.value);
  return largest;
}

// Returns the largest float of each anchor that the rig sets, metres.
std::vector<std::optional<float>> given_floats(const CurveSkeletonParameters& parameters, const Model& model,
                                               const Curve& curve) {
  std::vector<std::optional<float>> given(curve.anchors.size());
  for (std::size_t i = 1; i + 1 < given.size(); ++i) {
    const CurveJoint* joint = joint_settings(parameters, model, curve.chain, i);
    if (joint == nullptr) continue;
    given[i] = joint->float_distance.empty() ? joint->float_max : largest_key(joint->float_distance);
  }
  return given;
}

// Sets f_min and f_max of the inner anchors (docs/mathematics.md section 2.4): f_max is the room on the bones, half of
// a bone that another float shares.
Result<void> settle_floats(const CurveSkeletonParameters& parameters, const Model& model, const std::string& what,
                           std::vector<std::optional<float>> given, Curve& curve) {
  const std::size_t last = curve.anchors.size() - 1;
  for (std::size_t i = 1; i < last; ++i) {
    if (!curve.anchors[i].float_keys.empty()) given[i] = largest_key(curve.anchors[i].float_keys);
  }
  constexpr float kOfEndBone = 0.9f;
  const auto room = [&](std::size_t bone, std::size_t other) {
    const float length = curve.bone_length(bone);
    if (other == 0 || other == last) return kOfEndBone * length;
    const std::optional<float> taken = given[other];
    return taken ? std::max(length - *taken, 0.0f) : 0.5f * length;
  };
  for (std::size_t i = 1; i < last; ++i) {
    CurveAnchor& anchor = curve.anchors[i];
    const CurveJoint* joint = joint_settings(parameters, model, curve.chain, i);
    const float shorter = std::min(curve.bone_length(i - 1), curve.bone_length(i));
    anchor.float_max = given[i].value_or(std::min(room(i - 1, i - 1), room(i, i + 1)));
    anchor.float_min =
        std::min(joint != nullptr && joint->float_min ? *joint->float_min : shorter / 8, anchor.float_max);
  }
  for (std::size_t bone = 0; bone < curve.bone_count(); ++bone) {
    const float taken = curve.anchors[bone].float_max + curve.anchors[bone + 1].float_max;
    if (taken > 1.0001f * curve.bone_length(bone)) {
      const auto name = [&](std::size_t i) { return model.skeleton.joints[curve.chain.anchors[i].joint].name; };
      return invalid("{}: the floats of '{}' and '{}' need {:.4g} m, but have {:.4g} m between them on the curve '{}'",
                     what, name(bone), name(bone + 1), taken, curve.bone_length(bone), curve.chain.name);
    }
  }
  return {};
}

// Returns the settings of the rig for a bone, or nullptr, and true if the bone runs against the curve.
std::pair<const CurveBone*, bool> settings_of_bone(const CurveSkeletonParameters& parameters, const Model& model,
                                                   const Chain& chain, std::size_t bone) {
  const bool against = bone < chain.top;
  const std::string& upper = model.skeleton.joints[chain.anchors[against ? bone + 1 : bone].joint].name;
  const std::string& lower = model.skeleton.joints[chain.anchors[against ? bone : bone + 1].joint].name;
  const CurveBone* found = nullptr;
  for (const CurveBone& candidate : parameters.bones) {
    if (candidate.joint == upper && (candidate.to == lower || (candidate.to.empty() && found == nullptr))) {
      found = &candidate;
    }
  }
  return {found, against};
}

// Notes the joints with settings in the rig over which no curve runs. Checks the names in the rig and the model's bendy
// bones.
Result<void> check_names(const CurveSkeletonParameters& parameters, std::span<const Chain> chains, const Model& model,
                         const std::string& what, std::vector<std::string>& notes) {
  std::set<std::string_view> on_curves;
  std::vector<std::string_view> curves;
  for (const Chain& chain : chains) {
    curves.push_back(chain.name);
    for (const Anchor& anchor : chain.anchors) on_curves.insert(model.skeleton.joints[anchor.joint].name);
  }
  std::set<std::string_view> off_curves;
  NameList listed;
  const auto check = [&](const std::string& name) -> Result<void> {
    if (on_curves.contains(name)) return {};
    if (std::ranges::find(model.skeleton.joints, name, &Joint::name) == model.skeleton.joints.end()) {
      return not_found(what, "joint", name, model.skeleton.joints, &Joint::name);
    }
    if (off_curves.insert(name).second) listed.add(name);
    return {};
  };
  for (const CurveJoint& joint : parameters.joints) {
    PELT_TRY(check(joint.joint));
  }
  for (const CurveBone& bone : parameters.bones) {
    PELT_TRY(check(bone.joint));
    if (!bone.to.empty()) PELT_TRY(check(bone.to));
  }
  if (!listed.empty()) {
    notes.push_back(fmt::format("{}: no curve runs over {} of 'joints' and 'bones': the settings of {} change nothing",
                                what, listed.text(), listed.count() == 1 ? "it" : "them"));
  }
  for (const JointBendyBone& bone : model.bendy_bones) {
    const std::vector<Joint>& joints = model.skeleton.joints;
    if (bone.joint >= joints.size()) return invalid("{}: the model has a bendy bone at no joint", what);
    if (const char* wrong = wrong_property(bone.values)) {
      return invalid("{}: the model's bendy bone from '{}' has a {} out of its range", what, joints[bone.joint].name,
                     wrong);
    }
  }
  for (const CurveWeight& weight : parameters.weights) {
    if (std::find(curves.begin(), curves.end(), weight.curve) == curves.end()) {
      return not_found(what, "curve", weight.curve, curves);
    }
  }
  return {};
}

// Checks a chain after the offsets of control points: its number of joints, and joints that coincide.
Result<void> check_chain(const Chain& chain, const Model& model, const std::string& what) {
  PELT_TRY(check_length(chain, what));
  double length = 0;
  for (std::size_t i = 1; i < chain.anchors.size(); ++i) {
    length += glm::distance(glm::dvec3(chain.anchors[i].position), glm::dvec3(chain.anchors[i - 1].position));
  }
  constexpr double kShortest = 1e-6;  // fraction of the length of the curve that floats still resolve
  for (std::size_t i = 1; i < chain.anchors.size(); ++i) {
    const glm::dvec3 bone = glm::dvec3(chain.anchors[i].position) - glm::dvec3(chain.anchors[i - 1].position);
    if (glm::length(bone) > kShortest * length) continue;
    const auto name = [&](std::size_t a) { return model.skeleton.joints[chain.anchors[a].joint].name; };
    return invalid("{}: the joints '{}' and '{}' of the curve '{}' coincide", what, name(i - 1), name(i), chain.name);
  }
  return {};
}

}  // namespace

void lay_on_lines(const CurveSkeletonParameters& parameters, const Model& model, std::span<const glm::dmat4> at_bind,
                  std::vector<Curve>& curves) {
  const std::vector<std::uint32_t> no_inputs(at_bind.size(), shared::kNoInput);
  const std::vector<glm::mat4> joints(at_bind.begin(), at_bind.end());
  for (Curve& curve : curves) {
    const CurvePath* path = find_path(parameters, curve.chain.name);
    if (curve.frames == CurveFrames::kAuto || path == nullptr || path->line.empty()) continue;
    const MeshLines& lines = *std::ranges::find(model.lines, path->line, &MeshLines::mesh);
    const PosedCurve posed(curve, at_bind, no_inputs, joints, {});
    for (std::size_t i = 1; i + 1 < curve.anchors.size(); ++i) {
      const auto to_line = [&](std::size_t other) {
        const glm::vec3 from = curve.chain.anchors[i].position;
        const glm::vec3 way = glm::normalize(curve.chain.anchors[other].position - from);
        const glm::vec3 handle = from + way * posed.floating_distance(i);
        return nearest_on(lines, model, handle) - handle;
      };
      curve.anchors[i].before += to_line(i - 1);
      curve.anchors[i].after += to_line(i + 1);
    }
  }
}

const CurveJoint* joint_settings(const CurveSkeletonParameters& parameters, const Model& model, const Chain& chain,
                                 std::size_t anchor) {
  if (is_tip(chain, anchor)) return nullptr;
  const std::string& name = model.skeleton.joints[chain.anchors[anchor].joint].name;
  const auto found = std::find_if(parameters.joints.begin(), parameters.joints.end(),
                                  [&](const CurveJoint& joint) { return joint.joint == name; });
  return found == parameters.joints.end() ? nullptr : &*found;
}

Result<Chains> resolve_chains(const CurveSkeletonParameters& parameters, const Model& model,
                              std::span<const std::uint32_t> meshes, const std::string& what) {
  ChainOptions options{parameters.split, parameters.remove, {}, parameters.automatic};
  for (const CurvePath& path : parameters.curves) {
    if (!path.joints.empty()) options.curves.push_back({path.name, path.joints, path.offset});
  }
  PELT_ASSIGN(Chains chains, within(what, find_chains(model, meshes, options)));
  for (const CurvePath& path : parameters.curves) {
    std::vector<std::string_view> known;
    Chain* chain = nullptr;
    for (Chain& candidate : chains.chains) {
      known.push_back(candidate.name);
      if (candidate.name == path.name) chain = &candidate;
    }
    if (chain == nullptr) return not_found(what, "curve", path.name, known);
    PELT_TRY(check_offsets(path, *chain, what));
    if (!is_near(path.offset)) {
      return invalid("{}: the offset of the curve '{}' must be finite and at most {:g} m", what, path.name,
                     kMaxCoordinate);
    }
    if (path.joints.empty()) {
      for (Anchor& anchor : chain->anchors) anchor.position += path.offset;
    }
    PELT_ASSIGN(const MeshLines* const lines, find_lines(path, model, what));
    for (Anchor& anchor : chain->anchors) {
      if (lines != nullptr) anchor.position = nearest_on(*lines, model, anchor.position);
    }
    for (const VertexOffset& offset : path.control_offsets) {
      if (!is_anchor(*chain, offset.vertex)) continue;
      chain->anchors[(offset.vertex + 2) / 3].position += offset.offset;
    }
  }
  for (const Chain& chain : chains.chains) {
    PELT_TRY(check_chain(chain, model, what));
  }
  return chains;
}

Result<std::vector<Curve>> resolve_curves(const CurveSkeletonParameters& parameters, std::span<const Chain> chains,
                                          const Model& model, std::span<const glm::dmat4> at_bind,
                                          const std::string& what, std::vector<std::string>& notes) {
  PELT_TRY(check_names(parameters, chains, model, what, notes));
  std::vector<Curve> curves;
  BendyBones bendy(model, chains, at_bind);
  for (const Chain& chain : chains) {
    std::vector<const BendyBone*> bendy_of_rig;
    Curve& curve = curves.emplace_back(curve_over(chain));
    curve.frames = parameters.frames;
    curve.reference = parameters.reference;
    curve.centre = parameters.centre;
    curve.float_margin = parameters.float_margin;
    for (std::size_t b = 0; b < curve.bone_count(); ++b) {
      const auto [bone, against] = settings_of_bone(parameters, model, chain, b);
      CurveSpan& span = curve.spans[b];
      bendy_of_rig.push_back(bone != nullptr && bone->bendy ? &*bone->bendy : nullptr);
      if (bone == nullptr) continue;
      span.smooth_twist = bone->smooth_twist;
      span.twist = bone->twist;
      if (!against) continue;
      std::reverse(span.twist.begin(), span.twist.end());
      for (CurveKey& key : span.twist) key = {1 - key.at, 1 - key.value};
    }
    for (std::size_t i = 0; i < chain.anchors.size(); ++i) {
      CurveAnchor& anchor = curve.anchors[i];
      anchor.bulge = parameters.bulge;
      const CurveJoint* joint = joint_settings(parameters, model, chain, i);
      if (joint == nullptr) continue;
      anchor.skin_distance = joint->skin_distance.value_or(0);
      for (const CurveKey& key : joint->float_distance) anchor.float_keys.push_back({glm::radians(key.at), key.value});
      if (joint->bulge) anchor.bulge = *joint->bulge;
    }
    if (const CurvePath* path = find_path(parameters, chain.name)) {
      curve.edited = true;
      for (const VertexOffset& offset : path->control_offsets) {
        if (is_anchor(chain, offset.vertex)) continue;
        CurveAnchor& anchor = curve.anchors[(offset.vertex + 2) / 3];
        (offset.vertex % 3 == 1 ? anchor.before : anchor.after) += offset.offset;
      }
    }
    const std::vector<std::optional<float>> given = given_floats(parameters, model, curve);
    bendy.lay(bendy_of_rig, given, curve);
    const auto is_even = [](const SpanEnd& end) {
      return end.width.x == end.width.y && end.joint_width.x == end.joint_width.y;
    };
    const bool even = std::ranges::all_of(
        curve.spans, [&](const CurveSpan& span) { return is_even(span.first) && is_even(span.last); });
    if (!even && curve.frames == CurveFrames::kAuto) curve.rolls = joint_rolls(curve, at_bind);
    PELT_TRY(settle_floats(parameters, model, what, given, curve));
  }
  if (const std::optional<std::string> note = bendy.note()) notes.push_back(fmt::format("{}: {}", what, *note));
  return curves;
}

}  // namespace pelt::curve_skeleton
