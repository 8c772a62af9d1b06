// SPDX-License-Identifier: MIT
// Decides by the weights of a mesh which parts of curves its vertices follow.
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
#include <pelt/tools/joint_roles.h>

#include "engine/authoring/chain/curve.h"

namespace pelt::chain {

// Returns how far before and after an inner anchor its bend is spread (shaders/curve_skeleton/step_frames.h, w); 0 if
// that is not known.
using TurningReach = std::function<glm::vec2(std::size_t curve, std::size_t anchor)>;

// How closely the positions of vertices along curves follow their painting.
struct Painting {
  TurningReach turning;    // if empty, StepReach::turning of the curves
  float most_off = 0.28f;  // largest difference between a vertex's fraction of a joint's bend and its painting
  float slender = 2.6f;    // in skin distances: next to a shorter bone, most_off shrinks in proportion
  float share_off = 0.4f;  // largest difference between the weight of a curve and the weights on its joints
};

// The trust of a vertex in a point on a curve: the sum of its weights on the joints that move the bone there. A joint
// counts fully along the bones that it carries, and falls to 0 over three quarters of the next ones. So a vertex of the
// chest does not follow an arm that hangs at its side, and one near an elbow trusts both bones of the arm.
class Trust {
 public:
  // A joint on no curve counts as the nearest one above it that is on a curve. Keeps the curves by reference.
  Trust(const Model& model, std::span<const Curve> curves, Painting painting = {});

  // Returns the trust at rest length s, 0 to 1. `row` has weights over the bound joints of the model.
  float at(std::size_t curve, float s, std::span<const Influence> row) const;

  // Returns the least and the largest weight of a curve at a vertex: the weights on joints that only this curve has,
  // less Painting::share_off, and the weights on all joints of it, plus Painting::share_off; 0 and 1 if no weight is on
  // any curve.
  std::pair<float, float> share_bounds(std::size_t curve, std::span<const Influence> row) const;

  // Returns the curves of which a point may be trusted, ascending.
  std::vector<std::uint32_t> curves_of(std::span<const Influence> row) const;

  // The bend at an inner anchor, and how closely the positions of vertices follow their painting there.
  struct Bend {
    std::size_t anchor;
    float length;       // rest length s of the anchor
    glm::vec2 turning;  // TurningReach
    float off;          // largest difference between a vertex's fraction of the bend and the weights painted beyond it
  };
  // Returns the known bends of a curve, in order.
  std::vector<Bend> bends(std::size_t curve) const;

  // Returns the fraction of the weights of a vertex on joints beyond an inner anchor; nullopt without weights. Joints
  // on no curve count as the joint that carries them.
  std::optional<float> share_beyond(std::size_t curve, std::size_t anchor, std::span<const Influence> row) const;

  // Returns the first and the last anchor of a vertex's weights.
  std::pair<std::size_t, std::size_t> anchors_of(std::size_t curve, std::span<const Influence> row) const;

  // Returns the rest length nearest to s at which the vertex's fraction of each bend differs by at most Bend::off from
  // the weights painted beyond it; if there is no such length, the one that comes closest. So the skin of a belly does
  // not rise with a thigh, however near.
  float as_painted(std::size_t curve, std::span<const Bend> bends, std::span<const Influence> row, float s) const;

 private:
  // An anchor of a joint, with its window along the curve: it rises from `before` to `first`, is 1 up to `last`, and
  // falls to 0 at `after`.
  struct Place {
    std::uint32_t curve;
    std::uint32_t anchor;  // as which the joint counts: not its tip
    float before, first, last, after;
  };

  std::span<const Place> places(std::size_t curve, std::uint32_t joint) const;
  std::span<const Place> places_of(std::size_t curve, const Influence& influence) const;
  std::uint32_t anchor_of(std::size_t curve, const Influence& influence) const;

  std::span<const Curve> curves_;
  Painting painting_;
  std::vector<JointUse> uses_;               // one per joint
  std::vector<std::vector<Place>> places_;   // for each joint, in the order of curves
  std::vector<std::uint32_t> next_;          // for each joint: the nearest one above it that is on a curve, or kNone
  std::vector<std::uint32_t> counts_as_;     // for each bound joint: it or the nearest one above on a curve, or kNone
  std::vector<std::uint32_t> curve_counts_;  // number of curves of each bound joint, or of the one it counts as
};

}  // namespace pelt::chain
