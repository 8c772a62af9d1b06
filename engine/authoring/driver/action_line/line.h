// SPDX-License-Identifier: MIT
// An action line at bind: its frames, and the samples of it that a palette pass poses.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/frame.h>

#include "shaders/driver/action_line/pose.h"

namespace pelt::action_line {

// How a muscle's section changes with the length of its line.
struct LineShape {
  float tendon = 0;  // fraction of the line at either end that keeps its length
  float volume = 1;  // fraction of the volume that the muscle keeps
  float bulge = 0;   // additional swelling in the middle
};

class RestLine {
 public:
  // `points`: control points, then the side vertex, then the other one if the line `wrings`; model space at bind.
  // Precondition: shared::kMinLinePoints to kMaxLinePoints control points, and lengths above 0.
  RestLine(std::span<const glm::vec3> points, bool wrings);

  float length() const { return line_.arc_length; }

  // Returns M^R at a fraction of the length.
  Affine frame(float lambda) const;

  // Makes the pass that poses the samples. `first_vertex`: index of the first control point among the instance's
  // vertices.
  PalettePass make_pass(std::uint32_t first_vertex, const LineShape& shape) const;

 private:
  shared::ActionLine line_;
  float side_ = 0;  // distance of the side vertex from the first control point
};

inline constexpr std::uint32_t kSamples = 32;

// Returns the fraction of the length at each sample, ascending from 0 to 1.
std::vector<float> sample_places();

}  // namespace pelt::action_line
