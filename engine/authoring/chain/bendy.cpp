// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/bendy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pelt::chain {
namespace {

constexpr float kHandleLift = 2.0f / 3.0f;  // displacement of a control point over that of Blender's handle
// Largest float, as a fraction of a bone whose other end has no float from the rig or a bendy bone.
constexpr float kMaxOfBone = 0.9f;
// Smallest float, as a fraction of the shorter bone: without a slope, a curve has no direction.
constexpr float kMinOfBone = 0.01f;
// Range of the eases of automatic frames. Below it, the sections next to a joint would coincide; at 3, the curve turns
// back.
constexpr float kMinEaseOfSteps = 0.05f;
constexpr float kMaxEaseOfSteps = 2.9f;

bool runs_upwards(const Chain& chain, std::size_t bone) { return bone < chain.top; }

// Returns the ease of a bone at its first or last end along the chain.
std::optional<float> ease_of(std::span<const BendyBone* const> bones, std::size_t bone, bool first_end,
                             const Chain& chain) {
  if (bones[bone] == nullptr) return std::nullopt;
  return first_end != runs_upwards(chain, bone) ? bones[bone]->ease_in : bones[bone]->ease_out;
}

std::pair<std::uint32_t, std::uint32_t> joints_of(const Chain& chain, std::size_t bone) {
  const std::uint32_t first = chain.anchors[bone].joint;
  const std::uint32_t last = chain.anchors[bone + 1].joint;
  return runs_upwards(chain, bone) ? std::pair(last, first) : std::pair(first, last);
}

// The bone's x and z in model space. Their length is the scale of the joint's space.
struct Across {
  glm::vec3 x;
  glm::vec3 z;
};

Across across_bone(const Chain& chain, std::size_t bone, const glm::dmat4& joint) {
  const glm::vec3 along = chain.anchors[bone + 1].position - chain.anchors[bone].position;
  const glm::vec3 y = glm::normalize(runs_upwards(chain, bone) ? -along : along);
  const glm::mat3 axes = glm::mat3(glm::dmat3(joint));
  const glm::mat3 unit = shared::orthonormal_axes(axes);
  const glm::vec3 reference = std::abs(glm::dot(unit[2], y)) > 0.99f ? unit[1] : unit[2];
  const glm::vec3 z = glm::normalize(reference - y * glm::dot(reference, y));
  const float scale = std::cbrt(std::abs(glm::determinant(axes)));
  return {glm::cross(y, z) * scale, z * scale};
}

// Returns the value at the joint between two bones: the one that is not neutral, or the mean of two different ones,
// which also sets `differ`.
float meeting_value(float before, float after, float neutral, bool& differ) {
  if (before == after || after == neutral) return before;
  if (before == neutral) return after;
  differ = true;
  return 0.5f * (before + after);
}

}  // namespace

BendyBones::BendyBones(const Model& model, std::span<const Chain> chains, std::span<const glm::dmat4> at_bind)
    : at_bind_(at_bind) {
  for (const JointBendyBone& bendy : model.bendy_bones) {
    const glm::dvec3 y = at_bind[bendy.joint][1];
    std::optional<Bone> chosen;
    double best = 0;
    for (const Chain& chain : chains) {
      for (std::size_t b = 0; b + 1 < chain.anchors.size(); ++b) {
        const Bone bone = joints_of(chain, b);
        if (bone.first != bendy.joint) continue;
        const glm::dvec3 along = chain.anchors[b + 1].position - chain.anchors[b].position;
        const double straight = glm::dot(glm::normalize(runs_upwards(chain, b) ? -along : along), y);
        if (chosen && !(straight > best)) continue;
        chosen = bone;
        best = straight;
      }
    }
    if (chosen) {
      of_model_.emplace(*chosen, bendy.values);
    } else {
      ++off_curves_;
    }
  }
}

const BendyBone* BendyBones::of_model(const Bone& bone) const {
  const auto found = of_model_.find(bone);
  return found == of_model_.end() ? nullptr : &found->second;
}

void BendyBones::lay(std::span<const BendyBone* const> of_rig, std::span<const std::optional<float>> fixed,
                     Curve& curve) {
  std::vector<const BendyBone*> bones(of_rig.begin(), of_rig.end());
  std::vector<bool> stiff(bones.size(), false);
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const Bone bone = joints_of(curve.chain, b);
    const bool rig = bones[b] != nullptr;
    if (!rig) bones[b] = of_model(bone);
    if (bones[b] == nullptr) continue;
    laid_.insert(bone);
    if (!rig) laid_of_model_.insert(bone);
    if (bones[b]->segments) (*bones[b]->segments == 1 ? not_bending_ : segmented_).insert(bone);
    if (bones[b]->segments == 1u) {
      bones[b] = nullptr;
      stiff[b] = true;
      continue;
    }
    lay_ends(*bones[b], b, curve);
    lay_curve(*bones[b], b, curve);
  }
  for (const auto& [b, first_end] : {std::pair(std::size_t{0}, true), std::pair(bones.size() - 1, false)}) {
    if (ease_of(bones, b, first_end, curve.chain)) loose_.insert(joints_of(curve.chain, b));
  }
  if (curve.frames == CurveFrames::kAuto) {
    lay_eases(bones, stiff, fixed, curve);
  } else {
    lay_floats(bones, fixed, curve);
  }
  meet(curve);
}

// Rolls turn about the bone, so they change sign if the curve runs against the bone. Widths scale the y = z x x and the
// z of the frame.
void BendyBones::lay_ends(const BendyBone& values, std::size_t bone, Curve& curve) {
  const bool upwards = runs_upwards(curve.chain, bone);
  CurveSpan& span = curve.spans[bone];
  const SpanEnd in{glm::radians(upwards ? -values.roll_in : values.roll_in), {values.scale_in.x, values.scale_in.z}};
  const SpanEnd out{glm::radians(upwards ? -values.roll_out : values.roll_out),
                    {values.scale_out.x, values.scale_out.z}};
  span.first = upwards ? out : in;
  span.last = upwards ? in : out;
  const float stretch = values.scale_out.y == values.scale_in.y ? 0 : std::log(values.scale_out.y / values.scale_in.y);
  span.stretch = upwards ? -stretch : stretch;
}

void BendyBones::lay_curve(const BendyBone& values, std::size_t bone, Curve& curve) {
  const bool upwards = runs_upwards(curve.chain, bone);
  const Bone joints = joints_of(curve.chain, bone);
  const Across across = across_bone(curve.chain, bone, at_bind_[joints.first]);
  const auto displace = [&](const glm::vec2& offset, std::size_t anchor, glm::vec3 CurveAnchor::*control) {
    if (offset == glm::vec2(0.0f)) return;
    if (anchor == 0 || anchor + 1 == curve.anchors.size()) {
      loose_.insert(joints);
      return;
    }
    curve.anchors[anchor].*control += kHandleLift * (across.x * offset.x + across.z * offset.y);
  };
  displace(upwards ? values.curve_out : values.curve_in, bone, &CurveAnchor::after);
  displace(upwards ? values.curve_in : values.curve_out, bone + 1, &CurveAnchor::before);
}

void BendyBones::lay_eases(std::span<const BendyBone* const> bones, const std::vector<bool>& stiff,
                           std::span<const std::optional<float>> fixed, Curve& curve) {
  for (std::size_t i = 1; i < bones.size(); ++i) {
    if (fixed[i]) continue;
    const std::optional<float> before = ease_of(bones, i - 1, false, curve.chain);
    const std::optional<float> after = ease_of(bones, i, true, curve.chain);
    if (!before && !after) continue;
    const auto side = [&](std::size_t bone, float ease) {
      if (stiff[bone]) return 0.0f;
      if (ease > kMaxEaseOfSteps) held_.insert(curve.chain.anchors[i].joint);
      return std::clamp(ease, kMinEaseOfSteps, kMaxEaseOfSteps);
    };
    curve.anchors[i].eases = {side(i - 1, before ? *before : *after), side(i, after ? *after : *before)};
  }
}

void BendyBones::lay_floats(std::span<const BendyBone* const> bones, std::span<const std::optional<float>> fixed,
                            Curve& curve) {
  const std::size_t last = bones.size();
  std::vector<float> wanted(last + 1, -1.0f);
  const auto of_bone = [&](std::size_t b, bool first_end) -> std::optional<float> {
    const std::optional<float> ease = ease_of(bones, b, first_end, curve.chain);
    if (!ease) return std::nullopt;
    const int spans = 3 - (b == 0 ? 1 : 0) - (b + 1 == last ? 1 : 0);
    return *ease * curve.bone_length(b) / static_cast<float>(spans);
  };
  for (std::size_t i = 1; i < last; ++i) {
    if (fixed[i]) continue;
    const std::optional<float> before = of_bone(i - 1, false);
    const std::optional<float> after = of_bone(i, true);
    if (!before && !after) continue;
    const float least = kMinOfBone * std::min(curve.bone_length(i - 1), curve.bone_length(i));
    const float mean = before && after ? 0.5f * (*before + *after) : before ? *before : *after;
    wanted[i] = std::max(mean, least);
  }
  // Two floats on one bone divide its length in the ratio of their wanted lengths.
  const auto part = [&](std::size_t bone, std::size_t i, std::size_t other) {
    const float length = curve.bone_length(bone);
    float room = kMaxOfBone * length;
    if (wanted[other] >= 0) room = length * wanted[i] / (wanted[i] + wanted[other]);
    if (fixed[other]) room = std::max(length - *fixed[other], kMinOfBone * length);
    return std::min(room / wanted[i], 1.0f);
  };
  for (std::size_t i = 1; i < last; ++i) {
    if (wanted[i] < 0) continue;
    const float share = std::min(part(i - 1, i, i - 1), part(i, i, i + 1));
    if (share < 1) cut_.insert(curve.chain.anchors[i].joint);
    curve.anchors[i].float_keys = {{0.0f, share * wanted[i]}};
  }
}

void BendyBones::meet(Curve& curve) {
  for (SpanEnd CurveSpan::*end : {&CurveSpan::first, &CurveSpan::last}) {
    for (CurveSpan& span : curve.spans) {
      (span.*end).joint_roll = (span.*end).roll;
      (span.*end).joint_width = (span.*end).width;
    }
  }
  for (std::size_t i = 1; i < curve.spans.size(); ++i) {
    SpanEnd& before = curve.spans[i - 1].last;
    SpanEnd& after = curve.spans[i].first;
    bool differ = false;
    before.joint_roll = after.joint_roll = meeting_value(before.roll, after.roll, 0.0f, differ);
    for (int c = 0; c < 2; ++c) {
      before.joint_width[c] = after.joint_width[c] = meeting_value(before.width[c], after.width[c], 1.0f, differ);
    }
    if (differ) meeting_.insert(curve.chain.anchors[i].joint);
  }
}

std::optional<std::string> BendyBones::note() const {
  if (laid_.empty() && off_curves_ == 0) return std::nullopt;
  std::string text = fmt::format("{} bendy bones, {} of them as in the model", laid_.size(), laid_of_model_.size());
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format("; {} {}", count, what);
  };
  add(off_curves_, "more of the model lie on no curve");
  add(not_bending_.size(), "have one segment, so their other values do not count");
  add(segmented_.size(), "have segments, which do not count: the error of the table chooses the samples");
  add(loose_.size(), "have an ease or curve offsets at the end of a curve, which has nothing to move");
  add(cut_.size(), "joints have shorter floats than their eases ask for, since the bones are too short");
  add(held_.size(), "joints have an ease above 2.9, which counts as 2.9, since the curve would turn back");
  add(meeting_.size(), "joints are between bones with different rolls or scales: the mean counts");
  return text;
}

}  // namespace pelt::chain
