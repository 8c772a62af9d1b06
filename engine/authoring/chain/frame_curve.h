// SPDX-License-Identifier: MIT
// A curve at bind, defined by its frames. Finds closest points, for skin on curves and for muscles on action lines.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/frame.h>

namespace pelt::chain {

class FrameCurve {
 public:
  // The frame M at a fraction of a piece; its first axis is the direction of the curve.
  using Frame = std::function<Affine(std::size_t piece, float lambda)>;

  struct Location {
    std::uint32_t piece = 0;
    float lambda = 0;
    double distance = 0;  // metres to the curve
  };

  // `lengths` has the length of each piece, metres, and at least one.
  FrameCurve(std::vector<double> lengths, Frame frame);

  Affine frame(std::size_t piece, float lambda) const { return frame_(piece, lambda); }

  // Appends the candidates for the point nearest to P, at least one: every point c of the curve where (P - c).x = 0 and
  // the distance is least, with x the first axis of the frame, and each end that P lies beyond. They are exact to a few
  // thousandths of a piece.
  void find_locations(glm::vec3 point, std::vector<Location>& places) const;

  // Makes a candidate exact up to rounding.
  void refine(Location& place, glm::vec3 point) const;

  // Returns the nearest candidate, refined.
  Location closest(glm::vec3 point) const;

  // Returns the gradient of the curve's length up to `place` by the position of the point; 0 beyond the ends.
  glm::vec3 slope(const Location& place, glm::vec3 point) const;

 private:
  struct Sample {
    glm::vec3 origin;
    glm::vec3 x;
  };
  // A cross section of the curve.
  struct Section {
    glm::dvec3 origin;
    glm::dvec3 x;

    // Returns (P - c).x.
    double along(const glm::dvec3& point) const { return glm::dot(point - origin, x); }
  };
  bool is_end(const Location& place) const;
  Section section(std::size_t piece, float lambda) const;

  std::vector<double> lengths_;
  Frame frame_;
  std::vector<Sample> samples_;    // kSteps per piece and one more
  std::vector<Section> sections_;  // kSteps + 1 per piece
};

}  // namespace pelt::chain
