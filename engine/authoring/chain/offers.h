// SPDX-License-Identifier: MIT
// The points on curves that a vertex may follow, and how much it follows each.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/sparse_rows.h>

#include "engine/authoring/chain/rest_curves.h"
#include "engine/authoring/chain/trust.h"

namespace pelt::chain {

inline constexpr double kMinDistance = 1e-9;  // metres; nearer points count as this far away

struct CurveShare {
  CurveLocation place;
  double weight = 0;
};

struct ShareSettings {
  std::uint32_t most = 3;  // most curves per vertex
  double reach = 2;        // rho > 1: a curve at rho times the least distance, or farther, weighs 0
};

// A point on a curve that a vertex may follow. `distance` is in metres, divided by the trust, so that less trusted
// points count as farther away. `weight` is how much the vertex follows the curve.
struct CurveOffer {
  CurveLocation place;
  double distance = 0;
  double weight = 0;
};

// Returns the point on `curve` with the least distance / trust for a vertex at `point` with the weights `row`; nullopt
// if no point of the curve is trusted.
std::optional<CurveOffer> trusted_offer(const RestCurves& rest, const Trust& trust, std::span<const Influence> row,
                                        std::uint32_t curve, glm::vec3 point);

// Sets the weights to w_i = max(0, 1/d_i - 1/(rho d_min)), scaled to the sum 1. d_i are the distances of the offers,
// rho is `reach`.
void weigh_offers(std::span<CurveOffer> offers, double reach);

// Multiplies each weight by factors[curve] >= 0 and scales the weights to the sum 1. If all become 0, the nearest offer
// gets 1. Without factors, changes nothing.
void multiply_offers(std::span<CurveOffer> offers, std::span<const float> factors);

// Returns the curves of a vertex, cut continuously to `most` and scaled to the sum 1. Adds the weights of offers on
// copies of one bone. The result is empty if every weight is 0.
std::vector<CurveShare> merge_offers(const RestCurves& rest, std::span<const CurveOffer> offers, std::uint32_t most);

}  // namespace pelt::chain
