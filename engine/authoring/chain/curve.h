// SPDX-License-Identifier: MIT
// Curves as in the table of a pass (shaders/curve_skeleton/curve.h), and their frames in any pose, for bind. Model
// space at bind, metres, radians.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/curve_settings.h>
#include <pelt/frame.h>

#include "engine/authoring/chain/chain_table.h"
#include "engine/authoring/chain/chains.h"
#include "shaders/curve_skeleton/pose.h"

namespace pelt::chain {

// Settings of a curve at an anchor.
struct CurveAnchor {
  float skin_distance = 0;           // d
  float contact = 0;                 // 0 to 1: how narrow the bend is, since its sides may meet
  float radius = 0;                  // mean, of the section near the joint, metres; 0: no press
  float tube = 1;                    // 1: swells and is pressed as a hose of round skin; 0: as flesh
  float around = 0;                  // part to which flesh turns about the joint; the rest cuts the corner
  glm::vec2 section{0.0f};           // its centre along y and z of the frame
  float passage = 0;                 // half the length over which the painting crosses the joint, metres
  float shown = 1;                   // 0 if other layers move the skin painted across the joint, so that bend and twist
                                     // need to agree with theirs
  float float_min = 0;               // f_min
  float float_max = 0;               // f_max
  std::vector<CurveKey> float_keys;  // f over the bend; if empty, the formula counts
  // E before and after the joint, by which automatic frames pass through it; 0: the bone there is stiff. If set,
  // neither floats nor float keys count.
  std::optional<glm::vec2> eases;
  glm::vec3 before{0.0f};  // displacement of the spline point B-
  glm::vec3 after{0.0f};   // displacement of the spline point B+
  float twist_after = 0;   // fraction of the joint's twist that the bone leaving it takes
  Bulge bulge;
};

// Values of a bendy bone at one of its ends, in the curve's direction. The `joint_*` values hold exactly at the joint,
// at which the next bone may have others.
struct SpanEnd {
  float roll = 0;
  glm::vec2 width{1.0f};  // scales of the frame's y and z
  float joint_roll = 0;
  glm::vec2 joint_width{1.0f};
};

// Settings of a curve from one anchor to the next, in the curve's direction.
struct CurveSpan {
  std::vector<CurveKey> twist;  // dist over lambda; if empty, dist = lambda
  bool smooth_twist = true;
  SpanEnd first;  // ends of a bendy bone; these count in poses, not at bind
  SpanEnd last;
  float stretch = 0;  // ln of the lengthwise scale at the end over that at the start
};

struct Curve {
  Chain chain;
  std::vector<float> lengths;  // rest length s of each anchor, 0 at the first
  std::vector<CurveAnchor> anchors;
  std::vector<CurveSpan> spans;  // one fewer than anchors
  CurveFrames frames = CurveFrames::kAuto;
  CurveReference reference = CurveReference::kHalfSwing;
  float centre = 0;
  float float_margin = 1;
  // Angle at each anchor from the y of automatic frames, which is carried along the curve, to the y of the joint's axes
  // (joint_rolls). Used if a bendy bone is wider in one direction than in the other; otherwise empty.
  std::vector<float> rolls;
  bool edited = false;  // has its own settings, so it shares no frames with curves over the same joints

  std::size_t bone_count() const { return spans.size(); }
  float bone_length(std::size_t bone) const { return lengths[bone + 1] - lengths[bone]; }
};

// Returns a curve over a chain, with the lengths of its anchors and no settings.
Curve curve_over(Chain chain);

// Returns dist(lambda): piecewise linear, or monotone cubic (Fritsch & Carlson 1980), through the keys.
float twist_share(const CurveSpan& span, float lambda);

// Returns the values of Curve::rolls.
std::vector<float> joint_rolls(const Curve& curve, std::span<const glm::dmat4> at_bind);

// How far automatic frames turn before and after inner anchor i (`turning`, w in docs/mathematics.md section 2.2), and
// how far the curve is corrected (`window`, g there; shaders/curve_skeleton/step_frames.h). Both are rest lengths, 0 at
// the ends of the curve. With eases, most of the turn is within a third of the bones, and whole bones are corrected.
struct StepReach {
  glm::vec2 turning, window;
};
StepReach step_reach(const Curve& curve, std::size_t i);

// Writes curves into the table of passes, one after the other; then their samples, after place_anchors() and
// place_steps().
class CurveTable {
 public:
  // `at_bind` has one matrix per joint; `twist_inputs` has one input per joint, or shared::kNoInput. Both must outlive
  // the table.
  CurveTable(std::span<const glm::dmat4> at_bind, std::span<const std::uint32_t> twist_inputs)
      : table_(at_bind, twist_inputs), at_bind_(at_bind) {}

  // Appends a curve and returns the index of its first word.
  std::uint32_t put(const Curve& curve);

  // Appends a sample of the curve for posing and returns the index of its first word. `rest` is M^R there.
  std::uint32_t put_sample(const Curve& curve, std::size_t bone, float lambda, const Affine& rest);

  // Return the pass that poses the anchors, in stage 0, and the pass that poses the steps of automatic frames, in stage
  // 1.
  PalettePass anchor_pass() const { return table_.anchor_pass(); }
  PalettePass step_pass() const;

  // Set the first palette entries of these passes in all curves. Call each once.
  void place_anchors(std::uint32_t first_entry) { table_.place_anchors(first_entry); }
  void place_steps(std::uint32_t first_entry);

  const std::vector<std::uint32_t>& words() const { return table_.words(); }
  std::vector<std::uint32_t> take_words() { return table_.take_words(); }

 private:
  void put_curve_anchor(const Curve& curve, std::size_t i, glm::vec3 reference);

  ChainTable table_;
  std::span<const glm::dmat4> at_bind_;
  std::vector<std::uint32_t> curves_;  // words
  std::uint32_t steps_ = 0;            // palette entries
};

// Returns the shape of a sample at lambda of a bone at bind: its fraction of the twist, its bulges and its roll.
shared::CurveShape curve_shape(const Curve& curve, std::size_t bone, float lambda);

// Returns the same in poses, with the rolls and widths of bendy bones. They are linear between the ends of the bone,
// and blend into those of the joint within a quarter of the bone.
shared::CurveShape posed_shape(const Curve& curve, std::size_t bone, float lambda);

// Returns the fraction of the bone at which the sample at lambda lies in poses. The lengthwise scale along the bone is
// proportional to exp(stretch lambda).
float posed_lambda(const CurveSpan& span, float lambda);

// A curve in a pose.
class PosedCurve {
 public:
  // `at_bind` and `twist_inputs`: as for CurveTable, read only by the constructor. `inputs`: the twists of joints that
  // have a twist input. The curve must outlive this object.
  PosedCurve(const Curve& curve, std::span<const glm::dmat4> at_bind, std::span<const std::uint32_t> twist_inputs,
             std::span<const glm::mat4> joints, std::span<const float> inputs);

  // Returns M at lambda of a bone, without bendy bones; in the bind pose this is M^R.
  Affine frame(std::size_t bone, float lambda) const { return frame(bone, lambda, curve_shape(*curve_, bone, lambda)); }

  // Returns M^D of the sample at lambda.
  Affine posed_frame(std::size_t bone, float lambda) const {
    return frame(bone, posed_lambda(curve_->spans[bone], lambda), posed_shape(*curve_, bone, lambda));
  }

  // Returns the bone's part of the spline. Only tangent and endpoint frames have one.
  const shared::CurvePart& part(std::size_t bone) const { return parts_[bone]; }

  // Returns f, the distance of B- and B+ from an inner anchor along the bones; 0 at the ends. Only for tangent and
  // endpoint frames.
  float floating_distance(std::size_t anchor) const;

 private:
  Affine frame(std::size_t bone, float lambda, const shared::CurveShape& shape) const;

  const Curve* curve_;
  std::vector<std::uint32_t> table_;      // the curve at word 0
  std::vector<Affine> palette_;           // its anchors and steps
  std::vector<shared::CurvePart> parts_;  // one per bone; none with automatic frames
};

// Returns the fraction of an inner anchor's twist that the bone leaving it, away from the top, takes; the anchor must
// not be the top. The bones on both sides divide the twist by how much they can take; if neither can take any, by their
// lengths. The fraction is 1 if the bone before begins at a branch, so that the roll of an arm does not wring the
// chest.
float twist_after(const Curve& curve, std::size_t anchor);

}  // namespace pelt::chain
