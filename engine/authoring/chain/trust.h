// SPDX-License-Identifier: MIT
// Judges by the weights of a mesh where along the curves its vertices belong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pelt/model.h>
#include <pelt/sparse_rows.h>

#include "engine/authoring/chain/curve.h"

namespace pelt::chain {

// Returns how far before and after an inner anchor its bend is spread (shaders/curve_skeleton/step_frames.h, w); 0 if
// nothing is known of it.
using TurningReach = std::function<glm::vec2(std::size_t curve, std::size_t anchor)>;

// How closely the places of vertices keep to their painting.
struct Painting {
  TurningReach turning;    // if empty, StepReach::turning of the curves
  float most_off = 0.28f;  // largest difference between a vertex's share of a joint's bend and its painting
  float slender = 2.6f;    // in skin distances: beside a shorter bone, most_off shrinks in proportion
  float share_off = 0.4f;  // largest difference between the weight of a curve and what is painted to its joints
};

// The trust of a vertex in places on curves: the sum of its weights for the joints that move the bones there. A joint
// counts fully along the bones that it carries, and falls to 0 over three quarters of the next ones. So a vertex of the
// chest does not follow an arm that hangs beside it, and one near an elbow trusts both bones of the arm.
class Trust {
 public:
  // A joint that is on no curve counts as the nearest one above it that is. The curves are kept by reference.
  Trust(const Model& model, std::span<const Curve> curves, Painting painting = {});

  // Returns the trust in the place at rest length s, 0 to 1. `row` has weights over the bound joints of the model.
  float at(std::size_t curve, float s, std::span<const Influence> row) const;

  // Returns the least and the largest weight with which a vertex is to follow a curve: its weights on joints of that
  // curve alone, less Painting::share_off, and its weights on any joint of it, plus Painting::share_off. The result is
  // 0 and 1 if no weight is on any curve.
  std::pair<float, float> share_bounds(std::size_t curve, std::span<const Influence> row) const;

  // Returns true if any place of the curve is trusted.
  bool any(std::size_t curve, std::span<const Influence> row) const;

  // The bend at an inner anchor, and how closely the places of vertices keep to their painting there.
  struct Bend {
    std::size_t anchor;
    float length;       // rest length s of the anchor
    glm::vec2 turning;  // TurningReach
    float off;          // largest difference between a vertex's share of the bend and what is painted beyond it
  };
  // Returns the known bends of a curve, in order.
  std::vector<Bend> bends(std::size_t curve) const;

  // Returns the fraction of the weights of a vertex that is on joints beyond an inner anchor; nullopt if it has no
  // weights. Joints beside the curve count as the joint they hang on.
  std::optional<float> share_beyond(std::size_t curve, std::size_t anchor, std::span<const Influence> row) const;

  // Returns the place nearest to the rest length s at which the vertex's share of each bend differs by at most
  // Bend::off from what is painted beyond it; if there is none, the place that comes closest. So the skin of a belly
  // does not go up with a thigh, however near it is.
  float as_painted(std::size_t curve, std::span<const Bend> bends, std::span<const Influence> row, float s) const;

 private:
  // A window along a curve: it rises from `before` to `first`, is 1 up to `last`, and falls to 0 at `after`.
  struct Stretch {
    float before, first, last, after;
  };

  std::span<const Curve> curves_;
  Painting painting_;
  std::vector<std::vector<std::vector<Stretch>>> stretches_;  // for each curve and bound joint
  // For each curve and bound joint: the anchor that the joint counts as.
  std::vector<std::vector<std::uint32_t>> anchors_;
  std::vector<std::uint32_t> curve_counts_;  // number of curves that each bound joint, or the one it hangs on, is on
};

}  // namespace pelt::chain
