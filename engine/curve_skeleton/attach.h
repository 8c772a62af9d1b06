// SPDX-License-Identifier: MIT
// Skin to curves: where along which curves a vertex belongs, and how much to each (Yang et al. 2006, "Binding Skin to
// the Curve Skeleton"; math.md section 2, "Binding").
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/curve_skeleton/curve.h"

namespace pelt::curve_skeleton {

// A point on a curve.
struct CurvePlace {
  std::uint32_t curve = 0;
  std::uint32_t bone = 0;
  float lambda = 0;       // fraction of the bone
  double distance = 0;    // metres to the curve
  glm::vec3 slope{0.0f};  // gradient of the rest length s there, by the vertex; 0 beyond the ends
};

struct CurveShare {
  CurvePlace place;
  double weight = 0;
};

// Curves at bind, ready for closest points.
class RestCurves {
 public:
  RestCurves(std::span<const Curve> curves, std::span<const glm::dmat4> at_bind);

  const PosedCurve& posed(std::size_t curve) const { return posed_[curve]; }

  // The nearest of: every point c with (P - c).x = 0, x the frame's first axis; each end that P lies beyond.
  CurvePlace closest(std::size_t curve, glm::vec3 point) const;

  // The gradient of s, where `place` is of a point.
  glm::vec3 slope(const CurvePlace& place, glm::vec3 point) const;

 private:
  struct Sample {
    glm::vec3 origin;
    glm::vec3 x;
  };
  double along(std::size_t curve, std::size_t bone, float lambda, glm::dvec3 point) const;

  std::span<const Curve> curves_;
  std::vector<PosedCurve> posed_;
  std::vector<std::vector<Sample>> samples_;  // of each curve, kSteps a bone and one more
};

struct ShareSettings {
  std::uint32_t most = 3;  // curves a vertex
  double reach = 2;        // rho > 1
};

// The curves of a vertex: w_i = max(0, 1/d_i - 1/(rho d_min)), cut continuously to `most` and normalised, where d_i is
// the distance over trust[i] in [0, 1]: curves that are trusted less seem farther away, and with 0 they are none.
// Weights are multiplied by factors[i] >= 0 before they are cut. Where that leaves nothing, the nearest curve; empty
// only where no curve is trusted. Empty spans: 1 each.
std::vector<CurveShare> share_curves(const RestCurves& rest, std::size_t curve_count, glm::vec3 point,
                                     std::span<const float> trust, std::span<const float> factors,
                                     const ShareSettings& settings);

}  // namespace pelt::curve_skeleton
