// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/attach.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "engine/binding/sparse_rows.h"

namespace pelt::curve_skeleton {
namespace {

constexpr std::size_t kSteps = 16;       // samples of a bone
constexpr double kLeastDistance = 1e-9;  // metres

}  // namespace

RestCurves::RestCurves(std::span<const Curve> curves, std::span<const glm::dmat4> at_bind) : curves_(curves) {
  const std::vector<std::uint32_t> no_inputs(at_bind.size(), shared::kNoInput);
  const std::vector<glm::mat4> joints(at_bind.begin(), at_bind.end());
  CurveTable table(at_bind, no_inputs);
  std::vector<std::uint32_t> words;
  for (const Curve& curve : curves) words.push_back(table.put(curve));
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const PosedCurve& posed = posed_.emplace_back(curves[c], table.words(), words[c], joints, std::span<const float>());
    std::vector<Sample>& samples = samples_.emplace_back();
    for (std::size_t k = 0; k <= kSteps * curves[c].bone_count(); ++k) {
      const std::size_t bone = std::min(k / kSteps, curves[c].bone_count() - 1);
      const Affine frame = posed.frame(bone, static_cast<float>(k - bone * kSteps) / kSteps);
      samples.push_back({affine_origin(frame), glm::normalize(affine_axes(frame)[0])});
    }
  }
  find_copies();
}

// Where two curves run through the same joints their frames depend on the same: those of the bone's ends, the next
// joints beside them, and the twist from the top to there.
void RestCurves::find_copies() {
  using Stretch = std::vector<std::pair<std::uint32_t, std::array<float, 3>>>;  // anchors, in order away from the top
  std::map<Stretch, std::pair<std::size_t, std::size_t>> first;
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    const Curve& curve = curves_[c];
    const auto last = static_cast<std::ptrdiff_t>(curve.anchors.size()) - 1;
    const auto top = static_cast<std::ptrdiff_t>(curve.chain.top);
    std::vector<Bone>& original = original_.emplace_back();
    for (std::uint32_t b = 0; b < curve.bone_count(); ++b) original.push_back({static_cast<std::uint32_t>(c), b});
    copies_.emplace_back(curve.bone_count(), 1);
    for (std::ptrdiff_t bone = 0; bone < last; ++bone) {
      // A curve that the rig edits is its own.
      if (curve.edited) continue;
      // A bone is that of another curve in one direction only: the frames' axes run along the curve.
      const std::ptrdiff_t from = std::max<std::ptrdiff_t>(std::min(bone - 1, top - 1), 0);
      const std::ptrdiff_t to = std::min(std::max(bone + 2, top + 1), last);
      Stretch stretch;
      stretch.push_back({static_cast<std::uint32_t>(bone - from), {}});
      stretch.push_back({static_cast<std::uint32_t>(top - from), {}});
      stretch.push_back({static_cast<std::uint32_t>((from == 0 ? 1 : 0) + (to == last ? 2 : 0)), {}});
      for (std::ptrdiff_t i = from; i <= to; ++i) {
        const Anchor& anchor = curve.chain.anchors[static_cast<std::size_t>(i)];
        stretch.push_back({anchor.joint, {anchor.position.x, anchor.position.y, anchor.position.z}});
      }
      const auto [known, is_new] = first.try_emplace(std::move(stretch), c, static_cast<std::size_t>(bone));
      if (is_new) continue;
      original[static_cast<std::size_t>(bone)] = {static_cast<std::uint32_t>(known->second.first),
                                                  static_cast<std::uint32_t>(known->second.second)};
      ++copies_[known->second.first][known->second.second];
    }
  }
}

// (P - c).x at lambda of a bone.
double RestCurves::along(std::size_t curve, std::size_t bone, float lambda, glm::dvec3 point) const {
  const Affine frame = posed_[curve].frame(bone, lambda);
  return glm::dot(point - glm::dvec3(affine_origin(frame)), glm::normalize(glm::dvec3(affine_axes(frame)[0])));
}

void RestCurves::find_places(std::size_t curve, glm::vec3 point, std::vector<CurvePlace>& places) const {
  const std::vector<Sample>& samples = samples_[curve];
  const auto offer = [&](std::size_t step, float part, glm::vec3 origin) {
    CurvePlace& place = places.emplace_back();
    place.curve = static_cast<std::uint32_t>(curve);
    place.bone = static_cast<std::uint32_t>(std::min(step / kSteps, curves_[curve].bone_count() - 1));
    place.lambda = (static_cast<float>(step - place.bone * kSteps) + part) / kSteps;
    place.distance = glm::length(glm::dvec3(point) - glm::dvec3(origin));
  };
  float before = glm::dot(point - samples[0].origin, samples[0].x);
  if (before <= 0) offer(0, 0, samples[0].origin);
  for (std::size_t k = 1; k < samples.size(); ++k) {
    const float after = glm::dot(point - samples[k].origin, samples[k].x);
    // The other way round the distance is largest.
    if (before > 0 && after <= 0) {
      const float part = before / (before - after);
      offer(k - 1, part, glm::mix(samples[k - 1].origin, samples[k].origin, part));
    }
    before = after;
  }
  if (before > 0) offer(samples.size() - 1, 0, samples.back().origin);
}

void RestCurves::refine(CurvePlace& place, glm::vec3 point) const {
  if (is_end(place)) return;
  const auto step = std::min(static_cast<int>(place.lambda * kSteps), static_cast<int>(kSteps) - 1);
  double low = static_cast<double>(step) / kSteps;
  double high = static_cast<double>(step + 1) / kSteps;
  double at_low = along(place.curve, place.bone, static_cast<float>(low), point);
  double at_high = along(place.curve, place.bone, static_cast<float>(high), point);
  if ((at_low > 0) == (at_high > 0)) return;
  // Regula falsi; an end that stays counts half (Illinois).
  const double enough = 1e-6 * curves_[place.curve].bone_length(place.bone);
  int stayed = 0;
  double lambda = place.lambda;
  for (int count = 0; count < 8; ++count) {
    const double at = along(place.curve, place.bone, static_cast<float>(lambda), point);
    if (std::abs(at) < enough) break;
    if ((at > 0) == (at_low > 0)) {
      low = lambda;
      at_low = at;
      if (stayed == 1) at_high *= 0.5;
      stayed = 1;
    } else {
      high = lambda;
      at_high = at;
      if (stayed == -1) at_low *= 0.5;
      stayed = -1;
    }
    lambda = (low * at_high - high * at_low) / (at_high - at_low);
  }
  place.lambda = static_cast<float>(lambda);
  place.distance =
      glm::length(glm::dvec3(point) - glm::dvec3(affine_origin(posed_[place.curve].frame(place.bone, place.lambda))));
}

CurvePlace RestCurves::closest(std::size_t curve, glm::vec3 point) const {
  std::vector<CurvePlace> places;
  find_places(curve, point, places);
  CurvePlace nearest = *std::min_element(
      places.begin(), places.end(), [](const CurvePlace& a, const CurvePlace& b) { return a.distance < b.distance; });
  refine(nearest, point);
  return nearest;
}

bool RestCurves::is_end(const CurvePlace& place) const {
  return (place.bone == 0 && place.lambda <= 0) ||
         (place.bone + 1 == curves_[place.curve].bone_count() && place.lambda >= 1);
}

// (P - c(s)).x(s) = 0 gives grad s = x / (c'.x - (P - c).x').
glm::vec3 RestCurves::slope(const CurvePlace& place, glm::vec3 point) const {
  constexpr float kStep = 1.0f / 256;
  if (is_end(place)) return glm::vec3(0.0f);
  const float from = std::max(place.lambda - kStep, 0.0f);
  const float to = std::min(place.lambda + kStep, 1.0f);
  const Affine here = posed_[place.curve].frame(place.bone, place.lambda);
  const Affine before = posed_[place.curve].frame(place.bone, from);
  const Affine after = posed_[place.curve].frame(place.bone, to);
  const double step = double{to - from} * curves_[place.curve].bone_length(place.bone);
  const auto axis = [](const Affine& frame) { return glm::normalize(glm::dvec3(affine_axes(frame)[0])); };
  const glm::dvec3 centre_slope = glm::dvec3(affine_origin(after) - affine_origin(before)) / step;
  const glm::dvec3 axis_slope = (axis(after) - axis(before)) / step;
  const double turning =
      glm::dot(centre_slope, axis(here)) - glm::dot(glm::dvec3(point) - glm::dvec3(affine_origin(here)), axis_slope);
  // Where the curve's sections meet s is not smooth.
  return turning > 0.05 ? glm::vec3(axis(here) / turning) : glm::vec3(0.0f);
}

CurvePlace RestCurves::place_at(std::uint32_t curve, float s) const {
  const std::vector<float>& lengths = curves_[curve].lengths;
  const auto after = std::upper_bound(lengths.begin() + 1, lengths.end() - 1, s);
  CurvePlace place;
  place.curve = curve;
  place.bone = static_cast<std::uint32_t>(after - lengths.begin()) - 1;
  place.lambda = std::clamp((s - lengths[place.bone]) / curves_[curve].bone_length(place.bone), 0.0f, 1.0f);
  return place;
}

double RestCurves::distance(const CurvePlace& place, glm::vec3 point) const {
  return glm::length(glm::dvec3(point) -
                     glm::dvec3(affine_origin(posed_[place.curve].frame(place.bone, place.lambda))));
}

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
  std::vector<WeightedElement> row;
  for (std::uint32_t i = 0; i < offers.size(); ++i) {
    const CurvePlace& place = offers[i].place;
    if (rest.duplicate(place.curve, place.bone)) continue;
    const double factor = (factors.empty() ? 1.0 : factors[place.curve]) * rest.copies(place.curve, place.bone);
    const double weight =
        factor * std::max(0.0, 1 / std::max(offers[i].distance, kLeastDistance) - 1 / (settings.reach * least));
    if (weight > 0) row.push_back({i, weight});
  }
  if (row.empty()) row.push_back({static_cast<std::uint32_t>(nearest - offers.begin()), 1.0});
  cut_row(row, settings.most, Cut::kContinuous);
  std::vector<CurveShare> shares;
  for (const WeightedElement& element : row) shares.push_back({offers[element.index].place, element.weight});
  return shares;
}

}  // namespace pelt::curve_skeleton
