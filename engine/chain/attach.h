// SPDX-License-Identifier: MIT
// Skin to curves: where along which curves a vertex belongs, and how much to each (Yang et al. 2006, "Binding Skin to
// the Curve Skeleton"; docs/mathematics.md section 2, "Binding").
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
  std::uint32_t most = 3;  // curves a vertex
  double reach = 2;        // rho > 1
};

// A place on a curve, how far from it a point counts as being, and how much it follows it: the distance over the trust,
// so that places that are trusted less seem farther away.
struct CurveOffer {
  CurvePlace place;
  double distance = 0;
  double weight = 0;
};

// The place of a curve that seems nearest by the weights of the point's vertex; none where no place is trusted.
std::optional<CurveOffer> trusted_offer(const RestCurves& rest, const Trust& trust, std::span<const Influence> row,
                                        std::uint32_t curve, glm::vec3 point);

// How much a vertex follows each of its curves: w_i = max(0, 1/d_i - 1/(rho d_min)), d_i the offers' distances, of
// sum 1.
void weigh_offers(std::span<CurveOffer> offers, double reach);

// Multiplies their weights by factors[curve] >= 0, of sum 1 again; the nearest alone where the factors leave nothing.
// Empty factors: 1 each.
void multiply_offers(std::span<CurveOffer> offers, std::span<const float> factors);

// The curves of a vertex by the offers' weights, those that share a bone added up, cut continuously to `most` and of
// sum 1; none where nothing weighs.
std::vector<CurveShare> merge_offers(const RestCurves& rest, std::span<const CurveOffer> offers, std::uint32_t most);

// Adds a place to those that `row` has the weights of, or to the one that it already is.
void add_share(const CurvePlace& place, double weight, std::vector<CurvePlace>& places,
               std::vector<WeightedElement>& row);

// The curves of every vertex of a target; none where the layer does not show.
using Shares = std::vector<std::vector<CurveShare>>;

struct AttachSettings {
  CurveBinding binding = CurveBinding::kAuto;
  ShareSettings shares;
  std::span<const CurveWeight> weights;  // of curves, by name
  Painting painting;
  double extent = 0;  // largest_extent
};

// The targets that curves are laid for, by their place in input.targets: points without triangles, a muscle's line,
// say, follow curves and do not shape them, unless there is nothing else.
std::vector<std::size_t> shaping_targets(const DeformerInput& input);

// Largest edge of the bounding box of the targets, metres.
float largest_extent(const DeformerInput& input);

// Binds vertices to curves. Targets whose skins meet at their borders, at the same places with the same weights, are
// one skin, so that no seam between meshes opens.
class Attacher {
 public:
  // `curves`: their chains and lengths count, and where these are on the way change nothing else. All is kept by
  // reference.
  Attacher(const AttachSettings& settings, std::span<const Curve> curves, const DeformerInput& input);
  Attacher(const Attacher&) = delete;
  ~Attacher();

  // Of every target, in their order. `rest`: of the curves; `progress`: of this call, from 0 to 1.
  Result<std::vector<Shares>> attach(const RestCurves& rest, const std::function<void(double)>& progress) const;

 private:
  class Skin;
  std::vector<Skin> skins_;
  std::size_t target_count_;
};

}  // namespace pelt::chain
