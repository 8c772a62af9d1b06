// SPDX-License-Identifier: MIT
// Skin to curves: where along which curves a vertex belongs, and how much to each (Yang et al. 2006, "Binding Skin to
// the Curve Skeleton"; math.md section 2, "Binding").
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/curve_skeleton/curve.h"
#include "engine/curve_skeleton/frame_curve.h"
#include "engine/curve_skeleton/trust.h"

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

  std::size_t curve_count() const { return posed_.size(); }
  const PosedCurve& posed(std::size_t curve) const { return *posed_[curve]; }

  // FrameCurve::find_places, refine.
  void find_places(std::size_t curve, glm::vec3 point, std::vector<CurvePlace>& places) const;

  void refine(CurvePlace& place, glm::vec3 point) const;

  // The nearest of these.
  CurvePlace closest(std::size_t curve, glm::vec3 point) const;

  // s of a place, and the place at s, but for its distance and slope.
  float length_at(const CurvePlace& place) const {
    return curves_[place.curve].lengths[place.bone] + place.lambda * curves_[place.curve].bone_length(place.bone);
  }
  CurvePlace place_at(std::uint32_t curve, float s) const;

  // From a place to a point, metres.
  double distance(const CurvePlace& place, glm::vec3 point) const;

  // The same place on the first curve that has the same frames along the bone; itself where no other has.
  CurvePlace original(CurvePlace place) const {
    const Bone bone = original_[place.curve][place.bone];
    place.curve = bone.curve;
    place.bone = bone.bone;
    if (bone.reversed) {
      place.lambda = 1 - place.lambda;
      place.slope = -place.slope;
    }
    return place;
  }

  // Gives the ends of bones that are each other's copies the same skin distance, the larger one. `curves`: these.
  void share_distances(std::span<Curve> curves) const;

  // The gradient of s, where `place` is of a point.
  glm::vec3 slope(const CurvePlace& place, glm::vec3 point) const;

 private:
  struct Bone {
    std::uint32_t curve;
    std::uint32_t bone;
    bool reversed;  // runs the other way
  };
  // The curves are at `words` of the table's.
  void find_copies(std::span<const std::uint32_t> table, std::span<const std::uint32_t> words);

  std::span<const Curve> curves_;
  std::vector<std::shared_ptr<const PosedCurve>> posed_;
  std::vector<FrameCurve> frames_;
  std::vector<std::vector<Bone>> original_;  // of every bone of every curve
};

struct ShareSettings {
  std::uint32_t most = 3;  // curves a vertex
  double reach = 2;        // rho > 1
};

// A place on a curve, and how far from it a point counts as being: the distance over the trust, so that places that are
// trusted less seem farther away.
struct CurveOffer {
  CurvePlace place;
  double distance = 0;
};

// The place of a curve that seems nearest by the weights of the point's vertex; none where no place is trusted.
std::optional<CurveOffer> trusted_offer(const RestCurves& rest, const Trust& trust, std::span<const Influence> row,
                                        std::uint32_t curve, glm::vec3 point);

// The curves of a vertex: w_i = max(0, 1/d_i - 1/(rho d_min)), d_i the offers' distances, cut continuously to `most`
// and normalised. Weights are multiplied by factors[curve] >= 0 before they are cut; those of curves that share a bone
// are added up. Where the factors leave nothing, the nearest place; empty only where nothing is offered. Empty
// factors: 1 each.
std::vector<CurveShare> share_curves(const RestCurves& rest, std::span<const CurveOffer> offers,
                                     std::span<const float> factors, const ShareSettings& settings);

// Adds a place to those that `row` has the weights of, or to the one that it already is.
void add_share(const CurvePlace& place, double weight, std::vector<CurvePlace>& places,
               std::vector<WeightedElement>& row);

}  // namespace pelt::curve_skeleton
