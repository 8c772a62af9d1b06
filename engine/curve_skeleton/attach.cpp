// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/attach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/binding/sparse_rows.h"
#include "engine/character/region.h"
#include "engine/core/parallel.h"

namespace pelt::curve_skeleton {
namespace {

constexpr double kLeastDistance = 1e-9;  // metres
constexpr float kShareWidth = 0.02f;     // over which a vertex passes from curve to curve at least, of the extent

}  // namespace

std::optional<CurveOffer> trusted_offer(const RestCurves& rest, const Trust& trust, std::span<const Influence> row,
                                        std::uint32_t curve, glm::vec3 point) {
  if (!trust.any(curve, row)) return std::nullopt;
  std::vector<CurvePlace> places;
  rest.find_places(curve, point, places);
  std::optional<CurveOffer> nearest;
  for (const CurvePlace& place : places) {
    const double trusted = trust.at(curve, rest.length_at(place), row);
    if (trusted <= 0) continue;
    const double distance = std::max(place.distance, kLeastDistance) / trusted;
    if (!nearest || distance < nearest->distance) nearest = CurveOffer{place, distance};
  }
  if (nearest) rest.refine(nearest->place, point);
  return nearest;
}

std::vector<CurveShare> share_curves(const RestCurves& rest, std::span<const CurveOffer> offers,
                                     std::span<const float> factors, const ShareSettings& settings) {
  if (offers.empty()) return {};
  const auto nearer = [](const CurveOffer& a, const CurveOffer& b) { return a.distance < b.distance; };
  const auto nearest = std::min_element(offers.begin(), offers.end(), nearer);
  const double least = std::max(nearest->distance, kLeastDistance);
  std::vector<CurvePlace> places;  // that differ
  std::vector<WeightedElement> row;
  for (const CurveOffer& offer : offers) {
    const double distance = std::max(offer.distance, kLeastDistance);
    const double factor = factors.empty() ? 1.0 : factors[offer.place.curve];
    const double weight = factor * std::max(0.0, 1 / distance - 1 / (settings.reach * least));
    if (weight > 0) add_share(rest.original(offer.place), weight, places, row);
  }
  if (row.empty()) add_share(rest.original(nearest->place), 1.0, places, row);
  cut_row(row, settings.most, Cut::kContinuous);
  std::vector<CurveShare> shares;
  for (const WeightedElement& element : row) shares.push_back({places[element.index], element.weight});
  return shares;
}

void add_share(const CurvePlace& place, double weight, std::vector<CurvePlace>& places,
               std::vector<WeightedElement>& row) {
  const auto same = [&](const CurvePlace& other) { return other.curve == place.curve && other.bone == place.bone; };
  const auto known = std::find_if(places.begin(), places.end(), same);
  if (known != places.end()) {
    row[static_cast<std::size_t>(known - places.begin())].weight += weight;
    return;
  }
  row.push_back({static_cast<std::uint32_t>(places.size()), weight});
  places.push_back(place);
}

std::vector<std::size_t> shaping_targets(const DeformerInput& input) {
  std::vector<std::size_t> all;
  std::vector<std::size_t> skins;
  for (std::size_t t = 0; t < input.targets.size(); ++t) {
    all.push_back(t);
    if (!input.model.meshes[input.targets[t].mesh].triangles.empty()) skins.push_back(t);
  }
  return skins.empty() ? all : skins;
}

float largest_extent(const DeformerInput& input) {
  glm::vec3 low(std::numeric_limits<float>::max());
  glm::vec3 high(std::numeric_limits<float>::lowest());
  for (const DeformerTarget& target : input.targets) {
    for (const glm::vec3 p : input.model.meshes[target.mesh].positions) {
      low = glm::min(low, p);
      high = glm::max(high, p);
    }
  }
  const glm::vec3 extent = glm::max(high - low, glm::vec3(0.0f));
  return std::max({extent.x, extent.y, extent.z, 1e-6f});
}

Attacher::Attacher(const AttachSettings& settings, std::span<const Curve> curves, const DeformerInput& input,
                   const DeformerTarget& target)
    : settings_(settings),
      curves_(curves),
      input_(input),
      target_(target),
      mesh_(input.model.meshes[target.mesh]),
      weighted_(mesh_.weights.row_count() == mesh_.positions.size()),
      trust_(input.model, curves) {
  if (weighted_ && settings.binding != CurveBinding::kDistance) surface_.emplace(mesh_);
}

template <class Visit>
void Attacher::each_vertex(const Visit& visit) const {
  constexpr std::size_t kGrain = 64;
  parallel_for(target_.mask.size(), kGrain, input_.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<CurveOffer> offers;
    for (std::size_t v = begin; v < end; ++v) {
      if (!(target_.mask[v] > 0)) continue;
      offers.clear();
      visit(static_cast<std::uint32_t>(v), offers);
    }
  });
}

// factors[c][v]: what the rig multiplies the weight of curve c at vertex v by; empty: 1.
Result<std::vector<std::vector<float>>> Attacher::weight_factors() const {
  std::vector<std::vector<float>> factors(curves_.size());
  for (const CurveWeight& weight : settings_.weights) {
    const Result<std::vector<float>> region =
        region_values(weight.region, mesh_, input_.model, input_.rig,
                      fmt::format("{}: the weight of '{}'", input_.layer, weight.curve));
    if (!region) return tl::unexpected(region.error());
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      if (curves_[c].chain.name != weight.curve) continue;
      factors[c].resize(mesh_.positions.size(), 1.0f);
      for (std::size_t v = 0; v < region->size(); ++v) factors[c][v] *= std::lerp(1.0f, weight.value, (*region)[v]);
    }
  }
  return factors;
}

Result<Shares> Attacher::attach(const RestCurves& rest) const {
  if (settings_.binding == CurveBinding::kWeights && !weighted_) {
    return invalid(input_, fmt::format("mesh '{}' has no weights to bind by", mesh_.name));
  }
  const Result<std::vector<std::vector<float>>> factors = weight_factors();
  if (!factors) return tl::unexpected(factors.error());
  const std::vector<Field> fields = surface_ ? trusted_places(rest) : std::vector<Field>();
  Shares shares(mesh_.positions.size());
  each_vertex([&](std::uint32_t v, std::vector<CurveOffer>& offers) {
    const glm::vec3 point = mesh_.positions[v];
    for (std::uint32_t c = 0; c < fields.size(); ++c) {
      if (!fields[c].defined[v]) continue;
      CurveOffer& offer = offers.emplace_back();
      offer.place = rest.place_at(c, fields[c].s[v]);
      offer.distance = std::exp(double{fields[c].distance[v]});
    }
    // Its joints are on no curve, or it has no weights.
    const bool by_distance = offers.empty();
    for (std::uint32_t c = 0; by_distance && c < curves_.size(); ++c) {
      CurveOffer& offer = offers.emplace_back();
      offer.place = rest.closest(c, point);
      offer.distance = offer.place.distance;
    }
    std::vector<float> own;
    for (std::size_t c = 0; c < (settings_.weights.empty() ? 0 : curves_.size()); ++c) {
      own.push_back((*factors)[c].empty() ? 1.0f : (*factors)[c][v]);
    }
    shares[v] = share_curves(rest, offers, own, settings_.shares);
  });
  if (surface_) smooth_shares(rest, fields, shares);
  each_vertex([&](std::uint32_t v, std::vector<CurveOffer>&) {
    const glm::vec3 point = mesh_.positions[v];
    for (CurveShare& share : shares[v]) {
      CurvePlace& place = share.place;
      place.distance = rest.distance(place, point);
      const bool relaxed = !fields.empty() && fields[place.curve].changed[v];
      place.slope = relaxed ? surface_->gradient(v, fields[place.curve].defined, fields[place.curve].s)
                            : rest.slope(place, point);
    }
  });
  return shares;
}

// Lets the curves' weights pass gradually over the skin: by distance and trust they may change within one edge.
void Attacher::smooth_shares(const RestCurves& rest, const std::vector<Field>& fields, Shares& shares) const {
  const float width = kShareWidth * largest_extent(input_);
  std::vector<std::vector<float>> weights(curves_.size());
  parallel_for(curves_.size(), 1, input_.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      weights[c].assign(shares.size(), 0.0f);
      for (std::size_t v = 0; v < shares.size(); ++v) {
        for (const CurveShare& share : shares[v]) {
          if (share.place.curve == c) weights[c][v] = static_cast<float>(share.weight);
        }
      }
      surface_->smooth(fields[c].defined, width, weights[c]);
    }
  });
  std::vector<WeightedElement> row;
  for (std::uint32_t v = 0; v < shares.size(); ++v) {
    if (shares[v].empty() || std::none_of(fields.begin(), fields.end(), [&](const Field& f) { return f.defined[v]; })) {
      continue;
    }
    row.clear();
    std::vector<CurvePlace> places;
    for (std::uint32_t c = 0; c < curves_.size(); ++c) {
      if (!fields[c].defined[v] || weights[c][v] < 1e-3f) continue;
      const CurvePlace place = rest.original(rest.place_at(c, fields[c].s[v]));
      add_share(place, weights[c][v], places, row);
    }
    if (row.empty()) continue;
    cut_row(row, settings_.shares.most, Cut::kContinuous);
    shares[v].clear();
    for (const WeightedElement& element : row) shares[v].push_back({places[element.index], element.weight});
  }
}

std::vector<Attacher::Field> Attacher::trusted_places(const RestCurves& rest) const {
  const std::size_t count = mesh_.positions.size();
  std::vector<Field> fields;
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    fields.push_back({std::vector<std::uint8_t>(count, 0), std::vector<float>(count), std::vector<float>(count), {}});
  }
  each_vertex([&](std::uint32_t v, std::vector<CurveOffer>&) {
    for (std::uint32_t c = 0; c < curves_.size(); ++c) {
      const auto offer = trusted_offer(rest, trust_, mesh_.weights.row(v), c, mesh_.positions[v]);
      if (!offer) continue;
      fields[c].defined[v] = 1;
      fields[c].s[v] = rest.length_at(offer->place);
      fields[c].distance[v] = static_cast<float>(std::log(offer->distance));
    }
  });
  parallel_for(fields.size(), 1, input_.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      fields[c].changed = surface_->relax(fields[c].defined, fields[c].s, fields[c].distance);
    }
  });
  return fields;
}

}  // namespace pelt::curve_skeleton
