// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/curve.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "shaders/curve_skeleton/step_pose.h"

namespace pelt::chain {

namespace {

// Cosine of 26 degrees: a reference axis closer than that to the direction of the curve barely defines directions
// across it.
constexpr float kMaxAlong = 0.9f;

// How far a step may reach past a nearer branch, in skin distances.
constexpr float kPastBranch = 0.5f;

// How far a joint whose inside is pressed turns at most, in skin distances, if the painting passes farther.
constexpr float kWidePressed = 2.0f;

// Returns 1 at part 0, falling smoothly to 0 at part 1.
float fall(float part) { return (1 - part * part) * (1 - part * part); }

// Returns 1 at the anchor, falling smoothly to 0 at `reach`; 1 without a reach. `away` is in metres along the curve.
float bulge_window(const Bulge& bulge, float away) {
  if (!bulge.reach) return 1;
  if (away >= *bulge.reach) return 0;
  return fall(away / *bulge.reach);
}

std::uint32_t frames_word(CurveFrames frames) {
  switch (frames) {
    case CurveFrames::kAuto:
      return shared::kCurveFramesAuto;
    case CurveFrames::kTangent:
      return shared::kCurveFramesTangent;
    case CurveFrames::kEndpoint:
      return shared::kCurveFramesEndpoint;
  }
  return shared::kCurveFramesAuto;
}

// Returns the direction of the bone that leaves an anchor; at the last anchor, of the bone that arrives.
glm::vec3 bone_direction(const Chain& chain, std::size_t anchor) {
  const std::size_t bone = std::min(anchor, chain.anchors.size() - 2);
  return glm::normalize(chain.anchors[bone + 1].position - chain.anchors[bone].position);
}

// Returns the reference axis of every anchor: the joint's z, or its y if z runs along the curve (docs/mathematics.md
// section 2.3). If that turns the frame by more than a quarter turn from the anchor before, chooses the one of the
// joint's six axis directions that turns the frame least. Otherwise two frames could differ by half a turn, for which
// neither direction is shorter, and the pose would decide.
std::vector<glm::vec3> reference_axes(const Chain& chain, std::span<const glm::dmat4> at_bind) {
  const std::vector<Anchor>& anchors = chain.anchors;
  std::vector<glm::vec3> axes;
  glm::vec3 side(0.0f);
  glm::vec3 along_before(0.0f);
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const glm::vec3 coming = bone_direction(chain, i == 0 ? 0 : i - 1);
    const glm::vec3 going = bone_direction(chain, i);
    const glm::vec3 along = shared::normalize_or(coming + going, going);
    const glm::mat3 joint = shared::orthonormal_axes(glm::mat3(glm::dmat3(at_bind[anchors[i].joint])));
    glm::vec3 axis = std::abs(glm::dot(joint[2], along)) > kMaxAlong ? joint[1] : joint[2];
    if (i > 0) {
      const glm::vec3 arrived = shared::least_turn(shared::least_turn(side, along_before, coming), coming, along);
      const auto turned = [&](glm::vec3 candidate) { return glm::dot(shared::frame_side(candidate, along), arrived); };
      if (turned(axis) < 0) {
        for (const glm::vec3 candidate : {joint[2], -joint[2], joint[1], -joint[1], joint[0], -joint[0]}) {
          if (std::abs(glm::dot(candidate, along)) < kMaxAlong && turned(candidate) > turned(axis)) axis = candidate;
        }
      }
    }
    side = shared::frame_side(axis, along);
    along_before = along;
    axes.push_back(axis);
  }
  return axes;
}

// Returns for every anchor the y of the bone that leaves it, carried from bone to bone by the smallest rotations.
std::vector<glm::vec3> carried_axes(const Chain& chain, std::span<const glm::dmat4> at_bind) {
  const std::vector<Anchor>& anchors = chain.anchors;
  std::vector<glm::vec3> axes;
  glm::vec3 before = bone_direction(chain, 0);
  const glm::mat3 joint = shared::orthonormal_axes(glm::mat3(glm::dmat3(at_bind[anchors[0].joint])));
  glm::vec3 axis = shared::frame_side(std::abs(glm::dot(joint[2], before)) > kMaxAlong ? joint[1] : joint[2], before);
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const glm::vec3 along = bone_direction(chain, i);
    const glm::vec3 side = shared::frame_side(axis, along);  // for a bone that turns straight back
    axis = shared::direction_across(along, shared::least_turn(axis, before, along), side);
    before = along;
    axes.push_back(axis);
  }
  return axes;
}

}  // namespace

Curve curve_over(Chain chain) {
  Curve curve;
  float s = 0;
  for (std::size_t i = 0; i < chain.anchors.size(); ++i) {
    if (i > 0) s += glm::distance(chain.anchors[i - 1].position, chain.anchors[i].position);
    curve.lengths.push_back(s);
  }
  curve.anchors.resize(chain.anchors.size());
  curve.spans.resize(chain.anchors.size() - 1);
  curve.chain = std::move(chain);
  return curve;
}

float twist_share(const CurveSpan& span, float lambda) {
  const std::vector<CurveKey>& keys = span.twist;
  if (keys.empty()) return lambda;
  if (lambda <= keys.front().at) return keys.front().value;
  if (lambda >= keys.back().at) return keys.back().value;
  const auto after = std::upper_bound(keys.begin(), keys.end(), lambda,
                                      [](float value, const CurveKey& key) { return value < key.at; });
  const auto k = static_cast<std::size_t>(after - keys.begin()) - 1;
  const double width = double{keys[k + 1].at} - keys[k].at;
  const double u = (double{lambda} - keys[k].at) / width;
  if (!span.smooth_twist) return static_cast<float>(std::lerp(double{keys[k].value}, double{keys[k + 1].value}, u));
  const double v = 1 - u;
  const double value = v * v * (1 + 2 * u) * keys[k].value + u * u * (1 + 2 * v) * keys[k + 1].value +
                       width * u * v * (v * monotone_slope(keys, k) - u * monotone_slope(keys, k + 1));
  return static_cast<float>(value);
}

shared::CurveShape curve_shape(const Curve& curve, std::size_t bone, float lambda) {
  const float length = curve.bone_length(bone);
  return {twist_share(curve.spans[bone], lambda),
          bulge_window(curve.anchors[bone].bulge, lambda * length),
          bulge_window(curve.anchors[bone + 1].bulge, (1 - lambda) * length),
          curve.rolls.empty() ? 0.0f : std::lerp(curve.rolls[bone], curve.rolls[bone + 1], lambda),
          1.0f,
          1.0f};
}

shared::CurveShape posed_shape(const Curve& curve, std::size_t bone, float lambda) {
  constexpr float kMeeting = 0.25f;  // fraction of the bone
  const CurveSpan& span = curve.spans[bone];
  const auto window = [](float away) { return fall(std::min(away / kMeeting, 1.0f)); };
  const float at_first = window(lambda);
  const float at_last = window(1 - lambda);
  shared::CurveShape shape = curve_shape(curve, bone, lambda);
  shape.twist += std::lerp(span.first.roll, span.last.roll, lambda) +
                 at_first * (span.first.joint_roll - span.first.roll) +
                 at_last * (span.last.joint_roll - span.last.roll);
  const glm::vec2 width = glm::mix(span.first.width, span.last.width, lambda) +
                          at_first * (span.first.joint_width - span.first.width) +
                          at_last * (span.last.joint_width - span.last.width);
  shape.width_y *= width.x;
  shape.width_z *= width.y;
  return shape;
}

float posed_lambda(const CurveSpan& span, float lambda) {
  if (span.stretch == 0) return lambda;
  const double part = std::expm1(double{span.stretch} * lambda) / std::expm1(double{span.stretch});
  return static_cast<float>(std::clamp(part, 0.0, 1.0));
}

std::vector<float> joint_rolls(const Curve& curve, std::span<const glm::dmat4> at_bind) {
  const std::vector<glm::vec3> joints = reference_axes(curve.chain, at_bind);
  const std::vector<glm::vec3> carried = carried_axes(curve.chain, at_bind);
  const std::vector<Anchor>& anchors = curve.chain.anchors;
  std::vector<float> rolls;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const glm::vec3 coming = bone_direction(curve.chain, i == 0 ? 0 : i - 1);
    const glm::vec3 going = bone_direction(curve.chain, i);
    const glm::vec3 x = shared::normalize_or(coming + going, going);
    const glm::vec3 y = shared::least_turn(carried[i], going, x);
    const glm::vec3 side = shared::frame_side(joints[i], x);
    const float roll = std::atan2(glm::dot(glm::cross(y, side), x), glm::dot(y, side));
    rolls.push_back(rolls.empty() ? roll : rolls.back() + shared::reduced_angle(roll - rolls.back()));
  }
  return rolls;
}

StepReach step_reach(const Curve& curve, std::size_t i) {
  const std::size_t last = curve.lengths.size() - 1;
  if (const std::optional<glm::vec2>& eases = curve.anchors[i].eases) {
    const glm::vec2 lengths(curve.bone_length(i - 1), curve.bone_length(i));
    return {lengths / 3.0f, lengths * glm::sign(*eases)};
  }
  const auto side = [&](int step) {
    if (i == 0 || i == last) return glm::vec2(0.0f);
    const auto length_to = [&](std::size_t anchor) { return std::abs(curve.lengths[anchor] - curve.lengths[i]); };
    // Limbs taper: a limb counts as thick as at its next joint, if that is known.
    const std::size_t next = step < 0 ? i - 1 : i + 1;
    float distance = curve.anchors[i].skin_distance;
    const float beyond = curve.anchors[next].skin_distance;
    if (next != 0 && next != last && beyond > 0) distance = distance > 0 ? std::min(distance, beyond) : beyond;
    // The curves of limbs that branch off do not depend on this joint.
    const float past_branch = kPastBranch * distance;
    float room = std::numeric_limits<float>::infinity();
    std::size_t end = i;
    for (std::uint32_t bones = 0; bones < shared::kStepReach && end != 0 && end != last; ++bones) {
      if (end != i && curve.chain.anchors[end].is_branch) {
        if (length_to(end) >= past_branch) break;
        room = past_branch;
      }
      end = step < 0 ? end - 1 : end + 1;
    }
    room = std::min(room, length_to(end));
    const float bone = length_to(next);
    const float passage = std::min(curve.anchors[i].passage, bone);
    const float thick = std::max(distance, bone / 16);
    const float round = std::max(shared::kStepTurning * thick, passage);
    const float sharp =
        std::max(shared::kStepPressed * thick, std::min(passage, kWidePressed * curve.anchors[i].skin_distance));
    // If another layer moves the skin of the bend, the skin beyond moves as its bone.
    const float wide = std::lerp(round, sharp, curve.anchors[i].contact);
    const float narrow = std::min(bone / 16, wide);
    const float turning = std::min(std::lerp(narrow, wide, curve.anchors[i].shown), room);
    return glm::vec2(turning, std::min(shared::kStepWindow * turning, room));
  };
  const glm::vec2 before = side(-1);
  const glm::vec2 after = side(1);
  return {{before.x, after.x}, {before.y, after.y}};
}

// Returns the least rotation at rest from the bone before an inner anchor to that after it, as an axis times an angle,
// along y and z of the frame before; `y` is that of the frame after.
glm::vec2 rest_turn(const Chain& chain, std::size_t i, glm::vec3 y) {
  if (i == 0 || i + 1 == chain.anchors.size()) return glm::vec2(0.0f);
  const glm::vec3 before = bone_direction(chain, i - 1), after = bone_direction(chain, i);
  const glm::vec3 axis = glm::cross(before, after);
  const float sine = glm::length(axis);
  if (!(sine > 1e-20f)) return glm::vec2(0.0f);
  // The rotation keeps its axis, so this has the same coordinates in both frames.
  return glm::vec2(glm::dot(axis, y), glm::dot(axis, glm::cross(after, y))) *
         (std::atan2(sine, glm::dot(before, after)) / sine);
}

void CurveTable::put_curve_anchor(const Curve& curve, std::size_t i, glm::vec3 reference) {
  const CurveAnchor& anchor = curve.anchors[i];
  table_.put_number(curve.lengths[i]);
  table_.put_vector(reference);
  table_.put_number(anchor.skin_distance);
  table_.put_number(anchor.float_min);
  table_.put_number(anchor.float_max);
  table_.put_number(curve.float_margin);
  table_.put_word(0);  // first key: put_keys fills it in
  table_.put_word(anchor.eases ? shared::kCurveEased : static_cast<std::uint32_t>(anchor.float_keys.size()));
  table_.put_vector(anchor.before);
  table_.put_vector(anchor.after);
  table_.put_number(anchor.bulge.volume);
  table_.put_number(anchor.bulge.across);
  table_.put_number(anchor.bulge.along);
  table_.put_number(anchor.twist_after);
  table_.put_vector(bone_direction(curve.chain, i));
  const StepReach reach = step_reach(curve, i);
  for (const glm::vec2 sides : {reach.turning, reach.window}) {
    table_.put_number(sides.x);
    table_.put_number(sides.y);
  }
  const glm::vec2 rest = rest_turn(curve.chain, i, reference);
  for (const float number : {anchor.contact, anchor.radius, anchor.section.x, anchor.section.y, anchor.tube,
                             anchor.around, rest.x, rest.y}) {
    table_.put_number(number);
  }
}

std::uint32_t CurveTable::put(const Curve& curve) {
  const std::size_t count = curve.chain.anchors.size();
  const std::uint32_t word = table_.put_chain(curve.chain, shared::kCurveWords - shared::kChainWords);
  const std::uint32_t first_curve_anchor = table_.size();
  table_.set_word(word + shared::kCurveFrames, frames_word(curve.frames));
  table_.set_word(word + shared::kCurveReference, curve.reference == CurveReference::kJoint
                                                      ? shared::kCurveReferenceJoint
                                                      : shared::kCurveReferenceHalfSwing);
  table_.set_word(word + shared::kCurveCentre, std::bit_cast<std::uint32_t>(curve.centre));
  table_.set_word(word + shared::kCurveFirstAnchor, first_curve_anchor);
  table_.set_word(word + shared::kCurveFirstStep, steps_);
  curves_.push_back(word);
  steps_ += static_cast<std::uint32_t>(count) * shared::kCurveStepEntries;
  const std::vector<glm::vec3> axes =
      curve.frames == CurveFrames::kAuto ? carried_axes(curve.chain, at_bind_) : reference_axes(curve.chain, at_bind_);
  for (std::size_t i = 0; i < count; ++i) put_curve_anchor(curve, i, axes[i]);
  for (std::size_t i = 0; i < count; ++i) {
    table_.set_word(
        static_cast<std::uint32_t>(first_curve_anchor + i * shared::kCurveAnchorWords + shared::kCurveAnchorKeys),
        table_.size());
    if (const std::optional<glm::vec2>& eases = curve.anchors[i].eases) {
      table_.put_number(eases->x);
      table_.put_number(eases->y);
      continue;
    }
    for (const CurveKey& key : curve.anchors[i].float_keys) {
      table_.put_number(key.at);
      table_.put_number(key.value);
    }
  }
  return word;
}

std::uint32_t CurveTable::put_sample(const Curve& curve, std::size_t bone, float lambda, const Affine& rest) {
  const auto word = table_.size();
  const shared::CurveShape shape = posed_shape(curve, bone, lambda);
  table_.put_number(posed_lambda(curve.spans[bone], lambda));
  for (const float number :
       {shape.twist_share, shape.first_reach, shape.last_reach, shape.twist, shape.width_y, shape.width_z}) {
    table_.put_number(number);
  }
  table_.put_inverse(rest);
  return word;
}

PalettePass CurveTable::step_pass() const {
  PalettePass pass;
  pass.kernel = PoseKernel::kCurveStep;
  pass.stage = 1;
  for (const std::uint32_t curve : curves_) {
    for (std::uint32_t i = 0; i < words()[curve]; ++i) {
      append_record(pass.records, shared::CurveStepRecord{curve, i});
      ++pass.record_count;
    }
  }
  pass.table = words();
  return pass;
}

void CurveTable::place_steps(std::uint32_t first_entry) {
  for (const std::uint32_t curve : curves_) {
    const std::uint32_t word = curve + shared::kCurveFirstStep;
    table_.set_word(word, words()[word] + first_entry);
  }
}

PosedCurve::PosedCurve(const Curve& curve, std::span<const glm::dmat4> at_bind,
                       std::span<const std::uint32_t> twist_inputs, std::span<const glm::mat4> joints,
                       std::span<const float> inputs)
    : curve_(&curve) {
  CurveTable table(at_bind, twist_inputs);
  const std::uint32_t word = table.put(curve);
  assert(word == 0);
  const bool by_steps = curve.frames == CurveFrames::kAuto;
  const auto pose = [&](const PalettePass& pass) {
    const PoseKernelInfo& kernel = pose_kernel(pass.kernel);
    palette_.resize(pass.first_entry + pass.record_count * kernel.entries_per_record);
    kernel.pose(pass, 0, pass.record_count, {joints, {}, inputs, palette_});
  };
  pose(table.anchor_pass());
  if (by_steps) {
    table.place_steps(static_cast<std::uint32_t>(palette_.size()));
    PalettePass steps = table.step_pass();
    steps.first_entry = static_cast<std::uint32_t>(palette_.size());
    pose(steps);
  }
  table_ = table.take_words();
  const shared::PoseWork work = table_work(table_, palette_);
  for (std::uint32_t bone = 0; !by_steps && bone < curve.bone_count(); ++bone) {
    parts_.push_back(shared::curve_part(work, word, bone));
  }
}

Affine PosedCurve::frame(std::size_t bone, float lambda, const shared::CurveShape& shape) const {
  if (!parts_.empty()) return shared::spline_curve_frame(parts_[bone], lambda, shape);
  return shared::step_curve_frame(table_work(table_, palette_), 0, static_cast<std::uint32_t>(bone), lambda, shape);
}

float PosedCurve::floating_distance(std::size_t anchor) const {
  if (anchor == 0 || anchor + 1 == curve_->anchors.size()) return 0;
  const shared::CurveSpline& spline = parts_[anchor].spline;  // the bone that leaves the anchor
  return spline.arc[2] - spline.arc[1];
}

// Returns how much of a twist a bone can take: 0 for a stubby bone, its length for a bone that is long for its
// thickness.
static float room_for_twist(const Curve& curve, std::size_t bone) {
  const float length = curve.bone_length(bone);
  float thickness = length;  // at the thinner end
  for (const std::size_t i : {bone, bone + 1}) {
    if (curve.anchors[i].skin_distance > 0) thickness = std::min(thickness, curve.anchors[i].skin_distance);
  }
  return std::clamp(length / std::max(thickness, 1e-3f * length) - 3, 0.0f, 1.0f) * length;
}

float twist_after(const Curve& curve, std::size_t anchor) {
  const bool away = anchor > curve.chain.top;
  const std::size_t before = away ? anchor - 1 : anchor;
  const std::size_t after = away ? anchor : anchor - 1;
  if (curve.chain.anchors[away ? anchor - 1 : anchor + 1].is_branch) return 1;
  const float room_before = room_for_twist(curve, before);
  const float room_after = room_for_twist(curve, after);
  if (room_before + room_after > 0) return room_after / (room_before + room_after);
  return curve.bone_length(after) / (curve.bone_length(before) + curve.bone_length(after));
}

}  // namespace pelt::chain
