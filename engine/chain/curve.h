// SPDX-License-Identifier: MIT
// Curves as the table of a palette pass holds them (shaders/curve_skeleton/curve.h), and their frames in any pose, for
// binding. Model space at bind, metres, radians.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/curve_settings.h>
#include <pelt/frame.h>
#include <pelt/rig.h>

#include "engine/chain/chain_table.h"
#include "engine/chain/chains.h"
#include "shaders/curve_skeleton/pose.h"

namespace pelt::chain {

// What a curve has at an anchor.
struct CurveAnchor {
  float skin_distance = 0;           // d
  float float_min = 0;               // f_min
  float float_max = 0;               // f_max
  std::vector<CurveKey> float_keys;  // f over the bend; none: the formula
  glm::vec3 before{0.0f};            // displacement of B-,
  glm::vec3 after{0.0f};             // of B+
  float twist_after = 0;             // part of the joint's twist that the bone leaving it takes
  Bulge bulge;
};

// What a bendy bone has at one of its ends, in the curve's direction. `joint_*`: what holds right at the joint, where
// the next bone may say something else.
struct SpanEnd {
  float roll = 0;
  glm::vec2 width{1.0f};  // of the frame's y, z
  float joint_roll = 0;
  glm::vec2 joint_width{1.0f};
};

// What a curve has from an anchor to the next, in the curve's direction.
struct CurveSpan {
  std::vector<CurveKey> twist;  // dist over lambda; none: even
  bool smooth_twist = true;
  SpanEnd first;  // bendy bones: in poses alone, not at rest
  SpanEnd last;
  float stretch = 0;  // ln of the lengthwise scale at the end over that at the start
};

struct Curve {
  Chain chain;
  std::vector<float> lengths;  // s of each anchor: 0 at the first
  std::vector<CurveAnchor> anchors;
  std::vector<CurveSpan> spans;  // one fewer
  CurveFrames frames = CurveFrames::kAuto;
  CurveReference reference = CurveReference::kHalfSwing;
  float centre = 0;
  float float_margin = 1;
  // At each anchor from y of automatic frames, which are carried along the curve, to y by the joint's axes
  // (joint_rolls): where bendy bones are wider one way than the other. Empty: nothing asks.
  std::vector<float> rolls;
  bool edited = false;  // has settings of its own: shares no frames with curves over the same joints

  std::size_t bone_count() const { return spans.size(); }
  float bone_length(std::size_t bone) const { return lengths[bone + 1] - lengths[bone]; }
};

// dist(lambda): piecewise linear, or monotone cubic (Fritsch & Carlson 1980), through the keys.
float twist_share(const CurveSpan& span, float lambda);

// Curve::rolls.
std::vector<float> joint_rolls(const Curve& curve, std::span<const glm::dmat4> at_bind);

// Within how much of the curve before and after inner anchor i automatic frames turn, and the curve is led
// (shaders/curve_skeleton/step_frames.h); rest lengths, 0 at its ends.
struct StepReach {
  glm::vec2 turning, window;
};
StepReach step_reach(const Curve& curve, std::size_t i);

// The words of curves, one after the other.
class CurveTable {
 public:
  // `at_bind`: a matrix a joint; `twist_inputs`: of the joints, or shared::kNoInput.
  CurveTable(std::span<const glm::dmat4> at_bind, std::span<const std::uint32_t> twist_inputs)
      : table_(at_bind, twist_inputs), at_bind_(at_bind) {}

  // Returns the curve's word.
  std::uint32_t put(const Curve& curve);

  // A sample of it, as posed; returns its word. `rest`: M^R there.
  std::uint32_t put_sample(const Curve& curve, std::size_t bone, float lambda, const Affine& rest);

  const std::vector<std::uint32_t>& words() const { return table_.words(); }
  std::vector<std::uint32_t> take_words() { return table_.take_words(); }

 private:
  void put_curve_anchor(const Curve& curve, std::size_t i, glm::vec3 reference);

  ChainTable table_;
  std::span<const glm::dmat4> at_bind_;
};

// How a sample at lambda of a bone differs from others of its place.
shared::CurveShape curve_shape(const Curve& curve, std::size_t bone, float lambda);

// The same in poses, with what bendy bones add: rolls and widths are linear between the bone's ends, and within a
// quarter of the bone go over into what holds at the joint.
shared::CurveShape posed_shape(const Curve& curve, std::size_t bone, float lambda);

// Where along the bone the sample at lambda is in poses: as lengthwise scales exp(stretch lambda) make of it.
float posed_lambda(const CurveSpan& span, float lambda);

// A curve in a pose.
class PosedCurve {
 public:
  // `curve` is at `word` of the table's words. Twists are as the joints give them.
  PosedCurve(const Curve& curve, std::span<const std::uint32_t> words, std::uint32_t word,
             std::span<const glm::mat4> joints, std::span<const float> inputs);

  // M at lambda of a bone, without what bendy bones add: M^R, in the pose at bind.
  Affine frame(std::size_t bone, float lambda) const {
    return shared::curve_frame(parts_[bone], lambda, curve_shape(*curve_, bone, lambda), by_steps());
  }

  // M^D of the sample at lambda.
  Affine posed_frame(std::size_t bone, float lambda) const {
    return shared::curve_frame(parts_[bone], posed_lambda(curve_->spans[bone], lambda),
                               posed_shape(*curve_, bone, lambda), by_steps());
  }

  // Distance of B- and B+ from each inner anchor along the bones: f. Of tangent and endpoint frames.
  float floating_distance(std::size_t anchor) const;

 private:
  bool by_steps() const { return curve_->frames == CurveFrames::kAuto; }

  const Curve* curve_;
  std::vector<shared::CurvePart> parts_;  // of each bone
};

// How much of the twist of an inner anchor, which is not the top, the bone takes that leaves it, away from the top: by
// what the bones on both sides can take, and all of it where the one before begins at a branch, so that the roll of an
// arm does not wring the chest. Where neither can take any, by their lengths.
float twist_after(const Curve& curve, std::size_t anchor);

}  // namespace pelt::chain
