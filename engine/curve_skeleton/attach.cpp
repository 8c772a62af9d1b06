// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/attach.h"

#include <algorithm>
#include <cmath>

#include "engine/binding/sparse_rows.h"

namespace pelt::curve_skeleton {
namespace {

constexpr std::size_t kSteps = 16;  // samples of a bone

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
}

// (P - c).x at lambda of a bone.
double RestCurves::along(std::size_t curve, std::size_t bone, float lambda, glm::dvec3 point) const {
  const Affine frame = posed_[curve].frame(bone, lambda);
  return glm::dot(point - glm::dvec3(affine_origin(frame)), glm::normalize(glm::dvec3(affine_axes(frame)[0])));
}

CurvePlace RestCurves::closest(std::size_t curve, glm::vec3 point) const {
  const std::vector<Sample>& samples = samples_[curve];
  CurvePlace place;
  place.curve = static_cast<std::uint32_t>(curve);
  place.distance = std::numeric_limits<double>::infinity();
  const auto offer = [&](std::size_t step, float part, glm::vec3 origin) {
    const double distance = glm::length(glm::dvec3(point) - glm::dvec3(origin));
    if (distance >= place.distance) return;
    place.bone = static_cast<std::uint32_t>(std::min(step / kSteps, curves_[curve].bone_count() - 1));
    place.lambda = (static_cast<float>(step - place.bone * kSteps) + part) / kSteps;
    place.distance = distance;
  };
  float before = glm::dot(point - samples[0].origin, samples[0].x);
  if (before <= 0) offer(0, 0, samples[0].origin);
  std::optional<std::size_t> inside;  // the step in which the nearest root is
  for (std::size_t k = 1; k < samples.size(); ++k) {
    const float after = glm::dot(point - samples[k].origin, samples[k].x);
    if ((before > 0) != (after > 0)) {
      const float part = before / (before - after);
      const double best = place.distance;
      offer(k - 1, part, glm::mix(samples[k - 1].origin, samples[k].origin, part));
      if (place.distance < best) inside = k - 1;
    }
    before = after;
  }
  const double best = place.distance;
  if (before >= 0) offer(samples.size() - 1, 0, samples.back().origin);
  if (place.distance < best) inside.reset();
  if (!inside) return place;

  // The root itself: regula falsi (Illinois) between the samples beside it.
  const std::size_t bone = *inside / kSteps;
  double low = static_cast<double>(*inside - bone * kSteps) / kSteps;
  double high = low + 1.0 / kSteps;
  double at_low = along(curve, bone, static_cast<float>(low), point);
  double at_high = along(curve, bone, static_cast<float>(high), point);
  if ((at_low > 0) == (at_high > 0)) return place;
  const double enough = 1e-6 * curves_[curve].bone_length(bone);
  double lambda = place.lambda;
  for (int step = 0; step < 8; ++step) {
    const double at = along(curve, bone, static_cast<float>(lambda), point);
    if (std::abs(at) < enough) break;
    const bool replaces_low = (at > 0) == (at_low > 0);
    (replaces_low ? low : high) = lambda;
    (replaces_low ? at_low : at_high) = at;
    (replaces_low ? at_high : at_low) *= 0.5;
    lambda = (low * at_high - high * at_low) / (at_high - at_low);
  }
  place.lambda = static_cast<float>(lambda);
  place.bone = static_cast<std::uint32_t>(bone);
  place.distance = glm::length(glm::dvec3(point) - glm::dvec3(affine_origin(posed_[curve].frame(bone, place.lambda))));
  return place;
}

// (P - c(s)).x(s) = 0 gives grad s = x / (c'.x - (P - c).x').
glm::vec3 RestCurves::slope(const CurvePlace& place, glm::vec3 point) const {
  constexpr float kStep = 1.0f / 256;
  const std::size_t last = curves_[place.curve].bone_count() - 1;
  const bool at_start = place.bone == 0 && place.lambda <= 0;
  const bool at_end = place.bone == last && place.lambda >= 1;
  if (at_start || at_end) return glm::vec3(0.0f);
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

std::vector<CurveShare> share_curves(const RestCurves& rest, std::size_t curve_count, glm::vec3 point,
                                     std::span<const float> trust, std::span<const float> factors,
                                     const ShareSettings& settings) {
  std::vector<CurvePlace> places;
  std::vector<double> distances;  // over the trust
  for (std::uint32_t c = 0; c < curve_count; ++c) {
    const double trusted = trust.empty() ? 1.0 : trust[c];
    if (trusted <= 0) continue;
    places.push_back(rest.closest(c, point));
    distances.push_back(std::max(places.back().distance, 1e-9) / trusted);
  }
  if (places.empty()) return {};
  const auto nearest =
      static_cast<std::size_t>(std::min_element(distances.begin(), distances.end()) - distances.begin());
  std::vector<WeightedElement> row;
  for (std::uint32_t p = 0; p < places.size(); ++p) {
    const double factor = factors.empty() ? 1.0 : factors[places[p].curve];
    const double weight = factor * std::max(0.0, 1 / distances[p] - 1 / (settings.reach * distances[nearest]));
    if (weight > 0) row.push_back({p, weight});
  }
  if (row.empty()) row.push_back({static_cast<std::uint32_t>(nearest), 1.0});
  cut_row(row, settings.most, Cut::kContinuous);
  std::vector<CurveShare> shares;
  for (const WeightedElement& element : row) {
    CurvePlace place = places[element.index];
    place.slope = rest.slope(place, point);
    shares.push_back({place, element.weight});
  }
  return shares;
}

}  // namespace pelt::curve_skeleton
