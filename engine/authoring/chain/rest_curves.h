// SPDX-License-Identifier: MIT
// Curves at bind. Finds closest points, and bones that have the same frames.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/authoring/chain/curve.h"
#include "engine/authoring/chain/frame_curve.h"

namespace pelt::chain {

// A point on a curve.
struct CurveLocation {
  std::uint32_t curve = 0;
  std::uint32_t bone = 0;
  float lambda = 0;       // fraction of the bone
  double distance = 0;    // metres to the curve
  glm::vec3 slope{0.0f};  // gradient of the rest length s by the position of the vertex; 0 beyond the ends
};

// A bone of a curve that has the same frames as another.
struct BoneCopy {
  std::uint32_t curve = 0;
  std::uint32_t bone = 0;
  bool reversed = false;  // true if it runs the other way
};

// A curve at bind: the rest length s at the ends of its bones, ascending, and the frames along them.
struct RestCurve {
  std::vector<float> lengths;
  FrameCurve::Frame frame;
};

class RestCurves {
 public:
  // `originals`: for every bone of every curve, the first bone with the same frames, often the bone itself.
  RestCurves(std::vector<RestCurve> curves, std::vector<std::vector<BoneCopy>> originals);

  std::size_t curve_count() const { return frames_.size(); }
  Affine frame(std::size_t curve, std::size_t bone, float lambda) const { return frames_[curve].frame(bone, lambda); }
  std::span<const float> lengths(std::size_t curve) const { return lengths_[curve]; }
  float bone_length(std::size_t curve, std::size_t bone) const {
    return lengths_[curve][bone + 1] - lengths_[curve][bone];
  }

  // Appends candidates as FrameCurve::find_locations() does.
  void find_locations(std::size_t curve, glm::vec3 point, std::vector<CurveLocation>& places) const;

  void refine(CurveLocation& place, glm::vec3 point) const;

  // Returns the nearest candidate, refined.
  CurveLocation closest(std::size_t curve, glm::vec3 point) const;

  // Returns the rest length s of `place`. place_at() is the inverse, without distance and slope.
  float length_at(const CurveLocation& place) const {
    return lengths_[place.curve][place.bone] + place.lambda * bone_length(place.curve, place.bone);
  }
  CurveLocation place_at(std::uint32_t curve, float s) const;

  // Returns the distance between both points, metres.
  double distance(const CurveLocation& place, glm::vec3 point) const;

  const BoneCopy& original(std::size_t curve, std::size_t bone) const { return originals_[curve][bone]; }

  // Returns the same point on the first curve that has the same frames along the bone, often the curve itself.
  CurveLocation original(CurveLocation place) const;

  // Returns the gradient of s by the position of `point`, for which `place` is the nearest.
  glm::vec3 slope(const CurveLocation& place, glm::vec3 point) const;

 private:
  std::vector<std::vector<float>> lengths_;
  std::vector<FrameCurve> frames_;
  std::vector<std::vector<BoneCopy>> originals_;
};

// Returns the curves of a curve skeleton at bind.
RestCurves make_rest_curves(std::span<const Curve> curves, std::span<const glm::dmat4> at_bind);

// Sets both ends of bones that are each other's copies to the larger of their skin distances. `rest` must be of these
// curves.
void share_distances(const RestCurves& rest, std::span<Curve> curves);

}  // namespace pelt::chain
