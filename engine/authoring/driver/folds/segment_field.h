// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <glm/glm.hpp>
#include <span>

namespace pelt::folds {

// How deep a point is in a segment of a limb: its distance from the bone, less the radius of the segment's skin there.
class SegmentField {
 public:
  // `side`: a direction across the bone. `points`: of the segment's own skin, at bind; only those next to the bone
  // count.
  SegmentField(const glm::dvec3& from, const glm::dvec3& to, const glm::dvec3& side,
               std::span<const glm::dvec3> points);

  // Returns the depth of a point at bind, metres; negative inside.
  double depth(const glm::dvec3& point) const;

  // Returns the mean radius at an end of the bone, metres.
  double radius_at(bool end) const;

 private:
  static constexpr std::size_t kAlong = 10;
  static constexpr std::size_t kAround = 16;
  struct Place {
    double along;     // fraction of the bone
    double around;    // radians
    double distance;  // metres, from the bone
  };
  Place place_of(const glm::dvec3& point) const;

  glm::dvec3 from_;
  double length_;
  glm::dmat3 axes_;  // along the bone, then two across it
  std::array<std::array<double, kAround>, kAlong> radii_{};
};

}  // namespace pelt::folds
