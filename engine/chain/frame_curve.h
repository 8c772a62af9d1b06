// SPDX-License-Identifier: MIT
// A curve at bind by its frames, ready for closest points: what skin on curves and muscles on action lines share.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/frame.h>

namespace pelt::chain {

class FrameCurve {
 public:
  // M at a fraction of a piece; its first axis is the curve's direction.
  using Frame = std::function<Affine(std::size_t piece, float lambda)>;

  struct Place {
    std::uint32_t piece = 0;
    float lambda = 0;
    double distance = 0;  // metres to the curve
  };

  // `lengths`: of the pieces, at least one.
  FrameCurve(std::vector<double> lengths, Frame frame);

  Affine frame(std::size_t piece, float lambda) const { return frame_(piece, lambda); }

  // Adds, to within a few thousandths of a piece, every point c with (P - c).x = 0 where the distance to P is least, x
  // the frame's first axis, and each end that P lies beyond: one place at least.
  void find_places(glm::vec3 point, std::vector<Place>& places) const;

  // The same to within rounding.
  void refine(Place& place, glm::vec3 point) const;

  // The nearest of these.
  Place closest(glm::vec3 point) const;

  // The gradient of the length up to `place`, by the point whose place it is; 0 beyond the ends.
  glm::vec3 slope(const Place& place, glm::vec3 point) const;

 private:
  struct Sample {
    glm::vec3 origin;
    glm::vec3 x;
  };
  bool is_end(const Place& place) const;
  double along(std::size_t piece, float lambda, glm::dvec3 point) const;

  std::vector<double> lengths_;
  Frame frame_;
  std::vector<Sample> samples_;  // kSteps a piece and one more
};

}  // namespace pelt::chain
