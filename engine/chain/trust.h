// SPDX-License-Identifier: MIT
// What the weights of a mesh say of where along the curves its vertices belong.
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

#include "engine/chain/curve.h"

namespace pelt::chain {

// How far from an inner anchor its bend is spread, before and after it (shaders/curve_skeleton/step_frames.h, w). Where
// that is 0, nothing is known of it.
using TurningReach = std::function<glm::vec2(std::size_t curve, std::size_t anchor)>;

// How near to their painting places are to be.
struct Painting {
  TurningReach turning;    // none: of the curves' own steps (StepReach::turning)
  float most_off = 0.28f;  // by which the share of a joint's bend may miss what is painted
  float slender = 2.6f;    // skin distances: where a bone beside the joint is shorter, by less
  float share_off = 0.4f;  // by which the weight of a curve may miss what is painted to its joints
};

// A place on a curve is trusted as much as the vertex's weight is on the joints that move the bones there: a joint
// counts along the bones that it carries, and less and less along the next ones, up to three quarters of their length.
// So a vertex of the chest does not follow an arm that hangs beside it, and one near an elbow trusts both its bones.
class Trust {
 public:
  // A joint that is on no curve counts as the nearest one above it that is. The curves are kept by reference.
  Trust(const Model& model, std::span<const Curve> curves, Painting painting = {});

  // In [0, 1], at the rest length s. `row`: over the model's bound joints.
  float at(std::size_t curve, float s, std::span<const Influence> row) const;

  // The least and the most that a vertex is to follow a curve: as much of its weights as is on joints of that curve
  // alone, and as is on any of it, by Painting::share_off less and more. 0 to 1 where none is on any curve.
  std::pair<float, float> share_bounds(std::size_t curve, std::span<const Influence> row) const;

  // Whether any place of the curve is trusted.
  bool any(std::size_t curve, std::span<const Influence> row) const;

  // The bend of an inner anchor, and how near to their painting the places of vertices are to be.
  struct Bend {
    std::size_t anchor;
    float length;       // where it is
    glm::vec2 turning;  // TurningReach
    float off;          // by which a vertex's share of the bend may miss what is painted beyond it
  };
  // Those of a curve that are known, in order.
  std::vector<Bend> bends(std::size_t curve) const;

  // The share of a vertex's weights that is on the joints beyond an inner anchor; none where it has no weights. Those
  // of joints beside the curve count as those of the joint they hang on.
  std::optional<float> share_beyond(std::size_t curve, std::size_t anchor, std::span<const Influence> row) const;

  // The place next to the rest length s where the share that a vertex gets of each bend differs by no more than
  // Bend::off from what is painted beyond it: skin of a belly does not go up with a thigh, however near it is. Where no
  // place does, the one that does best.
  float as_painted(std::size_t curve, std::span<const Bend> bends, std::span<const Influence> row, float s) const;

 private:
  // Rises from `before` to `first`, is 1 up to `last`, and falls to `after`.
  struct Stretch {
    float before, first, last, after;
  };

  std::span<const Curve> curves_;
  Painting painting_;
  std::vector<std::vector<std::vector<Stretch>>> stretches_;  // of each curve, of each bound joint
  std::vector<std::vector<std::uint32_t>> anchors_;           // the same: the anchor that a bound joint counts as
  std::vector<std::uint32_t> curve_counts_;  // of each bound joint: the curves that it, or what it hangs on, is on
};

}  // namespace pelt::chain
