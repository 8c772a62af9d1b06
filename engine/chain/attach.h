// SPDX-License-Identifier: MIT
// Binds skin to curves: finds the place of each vertex along its curves and how much it follows each (Yang et al. 2006,
// "Binding Skin to the Curve Skeleton"; docs/mathematics.md section 2.7).
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/curve_settings.h>

#include "engine/chain/rest_curves.h"
#include "engine/chain/trust.h"
#include "engine/deformer/builder.h"

namespace pelt::chain {

struct CurveShare {
  CurvePlace place;
  double weight = 0;
};

struct ShareSettings {
  std::uint32_t most = 3;  // most curves per vertex
  double reach = 2;        // rho > 1: a curve at rho times the least distance, or farther, weighs 0
};

// A place on a curve that a vertex may follow. `distance` is in metres, divided by the trust, so that places that are
// trusted less seem farther away. `weight` is how much the vertex follows the curve.
struct CurveOffer {
  CurvePlace place;
  double distance = 0;
  double weight = 0;
};

// Returns the place on `curve` with the least distance / trust for a vertex at `point` with the weights `row`; nullopt
// if no place is trusted.
std::optional<CurveOffer> trusted_offer(const RestCurves& rest, const Trust& trust, std::span<const Influence> row,
                                        std::uint32_t curve, glm::vec3 point);

// Sets the weights to w_i = max(0, 1/d_i - 1/(rho d_min)), scaled to the sum 1. d_i are the distances of the offers,
// rho is `reach`.
void weigh_offers(std::span<CurveOffer> offers, double reach);

// Multiplies each weight by factors[curve] >= 0 and scales the weights to the sum 1. If all become 0, the nearest offer
// gets 1. Empty factors count as 1.
void multiply_offers(std::span<CurveOffer> offers, std::span<const float> factors);

// Returns the curves of a vertex, cut continuously to `most` and scaled to the sum 1. Weights of offers on copies of
// one bone are added up. The result is empty if every weight is 0.
std::vector<CurveShare> merge_offers(const RestCurves& rest, std::span<const CurveOffer> offers, std::uint32_t most);

// Adds `weight` to the entry of `row` for a place on the same bone. If there is none, appends the place and an entry.
void add_share(const CurvePlace& place, double weight, std::vector<CurvePlace>& places,
               std::vector<WeightedElement>& row);

// The curves of every vertex of a target; empty for vertices where the layer does not show.
using Shares = std::vector<std::vector<CurveShare>>;

struct AttachSettings {
  CurveBinding binding = CurveBinding::kAuto;
  ShareSettings shares;
  std::span<const CurveWeight> weights;  // the rig's factors, by curve name
  Painting painting;
  double extent = 0;  // largest_extent() of the input, metres
};

// Returns the targets that shape the curves, as indices in input.targets. Meshes without triangles, such as a muscle's
// line, follow curves but do not shape them, unless there are no others.
std::vector<std::size_t> shaping_targets(const DeformerInput& input);

// Returns the largest edge of the bounding box of the targets, metres.
float largest_extent(const DeformerInput& input);

// Binds vertices to curves. Targets whose borders meet, at the same places with the same weights, count as one skin, so
// that no seam opens between meshes.
class Attacher {
 public:
  // Keeps all arguments by reference. The constructor reads only the chains and the lengths of `curves`; attach() also
  // reads their skin distances, which may change before it.
  Attacher(const AttachSettings& settings, std::span<const Curve> curves, const DeformerInput& input);
  Attacher(const Attacher&) = delete;
  ~Attacher();

  // Returns the shares of every target, in order. `rest` holds the frames of the curves at bind; `progress` is called
  // with the fraction of this call that is done, 0 to 1.
  Result<std::vector<Shares>> attach(const RestCurves& rest, const std::function<void(double)>& progress) const;

 private:
  class Skin;
  std::vector<Skin> skins_;
  std::size_t target_count_;
};

}  // namespace pelt::chain
