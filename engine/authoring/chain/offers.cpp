// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/offers.h"

#include <algorithm>

namespace pelt::chain {
namespace {

CurveOffer& nearest_of(std::span<CurveOffer> offers) {
  return *std::ranges::min_element(offers, {}, &CurveOffer::distance);
}

// Scales the weights to the sum 1. If all are 0, the nearest offer gets 1.
void normalize_weights(std::span<CurveOffer> offers) {
  double sum = 0;
  for (const CurveOffer& offer : offers) sum += offer.weight;
  if (sum > 0) {
    for (CurveOffer& offer : offers) offer.weight /= sum;
  } else {
    nearest_of(offers).weight = 1;
  }
}

// Adds `weight` to the entry of `row` for a point on the same bone; if no entry has it, appends the point and an entry.
void add_share(const CurveLocation& place, double weight, std::vector<CurveLocation>& places,
               std::vector<WeightedElement>& row) {
  const auto same = [&](const CurveLocation& other) { return other.curve == place.curve && other.bone == place.bone; };
  const auto known = std::find_if(places.begin(), places.end(), same);
  if (known != places.end()) {
    row[static_cast<std::size_t>(known - places.begin())].weight += weight;
    return;
  }
  row.push_back({static_cast<std::uint32_t>(places.size()), weight});
  places.push_back(place);
}

}  // namespace

std::optional<CurveOffer> trusted_offer(const RestCurves& rest, const Trust& trust, std::span<const Influence> row,
                                        std::uint32_t curve, glm::vec3 point) {
  std::vector<CurveLocation> places;
  rest.find_locations(curve, point, places);
  std::optional<CurveOffer> nearest;
  for (const CurveLocation& place : places) {
    const double trusted = trust.at(curve, rest.length_at(place), row);
    if (trusted <= 0) continue;
    const double distance = std::max(place.distance, kMinDistance) / trusted;
    if (!nearest || distance < nearest->distance) nearest = CurveOffer{place, distance};
  }
  if (nearest) rest.refine(nearest->place, point);
  return nearest;
}

void weigh_offers(std::span<CurveOffer> offers, double reach) {
  if (offers.empty()) return;
  const double least = std::max(nearest_of(offers).distance, kMinDistance);
  for (CurveOffer& offer : offers) {
    const double distance = std::max(offer.distance, kMinDistance);
    offer.weight = std::max(0.0, 1 / distance - 1 / (reach * least));
  }
  normalize_weights(offers);
}

void multiply_offers(std::span<CurveOffer> offers, std::span<const float> factors) {
  if (offers.empty() || factors.empty()) return;
  for (CurveOffer& offer : offers) offer.weight *= double{factors[offer.place.curve]};
  normalize_weights(offers);
}

std::vector<CurveShare> merge_offers(const RestCurves& rest, std::span<const CurveOffer> offers, std::uint32_t most) {
  std::vector<CurveLocation> places;  // distinct places
  std::vector<WeightedElement> row;
  for (const CurveOffer& offer : offers) {
    if (offer.weight > 0) add_share(rest.original(offer.place), offer.weight, places, row);
  }
  if (row.empty()) return {};
  cut_row(row, most, Cut::kContinuous);
  std::vector<CurveShare> shares;
  for (const WeightedElement& influence : row) shares.push_back({places[influence.index], influence.weight});
  return shares;
}

}  // namespace pelt::chain
