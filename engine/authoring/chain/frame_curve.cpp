// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/frame_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pelt::chain {
namespace {

constexpr std::size_t kSteps = 16;  // samples per piece

}  // namespace

FrameCurve::FrameCurve(std::vector<double> lengths, Frame frame)
    : lengths_(std::move(lengths)), frame_(std::move(frame)) {
  for (std::size_t k = 0; k <= kSteps * lengths_.size(); ++k) {
    const std::size_t piece = std::min(k / kSteps, lengths_.size() - 1);
    const Affine at = frame_(piece, static_cast<float>(k - piece * kSteps) / kSteps);
    samples_.push_back({affine_origin(at), glm::normalize(affine_axes(at)[0])});
  }
  for (std::size_t piece = 0; piece < lengths_.size(); ++piece) {
    for (std::size_t k = 0; k <= kSteps; ++k) sections_.push_back(section(piece, static_cast<float>(k) / kSteps));
  }
}

FrameCurve::Section FrameCurve::section(std::size_t piece, float lambda) const {
  const Affine frame = frame_(piece, lambda);
  return {glm::dvec3(affine_origin(frame)), glm::normalize(glm::dvec3(affine_axes(frame)[0]))};
}

void FrameCurve::find_locations(glm::vec3 point, std::vector<Location>& places) const {
  const auto offer = [&](std::size_t step, float part, glm::vec3 origin) {
    Location& place = places.emplace_back();
    place.piece = static_cast<std::uint32_t>(std::min(step / kSteps, lengths_.size() - 1));
    place.lambda = (static_cast<float>(step - place.piece * kSteps) + part) / kSteps;
    place.distance = glm::length(glm::dvec3(point) - glm::dvec3(origin));
  };
  float before = glm::dot(point - samples_[0].origin, samples_[0].x);
  if (before <= 0) offer(0, 0, samples_[0].origin);
  for (std::size_t k = 1; k < samples_.size(); ++k) {
    const float after = glm::dot(point - samples_[k].origin, samples_[k].x);
    // A change of sign the other way is a largest distance.
    if (before > 0 && after <= 0) {
      const float part = before / (before - after);
      offer(k - 1, part, glm::mix(samples_[k - 1].origin, samples_[k].origin, part));
    }
    before = after;
  }
  if (before > 0) offer(samples_.size() - 1, 0, samples_.back().origin);
}

void FrameCurve::refine(Location& place, glm::vec3 point) const {
  if (is_end(place)) return;
  const auto step = std::min(static_cast<int>(place.lambda * kSteps), static_cast<int>(kSteps) - 1);
  double low = static_cast<double>(step) / kSteps;
  double high = static_cast<double>(step + 1) / kSteps;
  const glm::dvec3 p(point);
  const Section* sections = &sections_[place.piece * (kSteps + 1) + static_cast<std::size_t>(step)];
  double at_low = sections[0].along(p);
  double at_high = sections[1].along(p);
  if ((at_low > 0) == (at_high > 0)) return;
  // Regula falsi; halves the value of an end that stays (Illinois).
  const double enough = 1e-6 * lengths_[place.piece];
  int stayed = 0;
  double lambda = place.lambda;
  for (int count = 0; count < 8; ++count) {
    const Section here = section(place.piece, static_cast<float>(lambda));
    const double at = here.along(p);
    if (std::abs(at) < enough) {
      place.lambda = static_cast<float>(lambda);
      place.distance = glm::length(p - here.origin);
      return;
    }
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
  place.distance = glm::length(p - glm::dvec3(affine_origin(frame_(place.piece, place.lambda))));
}

FrameCurve::Location FrameCurve::closest(glm::vec3 point) const {
  std::vector<Location> places;
  find_locations(point, places);
  // A curve of finite frames always has a nearest point.
  if (places.empty()) return {};
  Location nearest = *std::min_element(places.begin(), places.end(),
                                       [](const Location& a, const Location& b) { return a.distance < b.distance; });
  refine(nearest, point);
  return nearest;
}

bool FrameCurve::is_end(const Location& place) const {
  return (place.piece == 0 && place.lambda <= 0) || (place.piece + 1 == lengths_.size() && place.lambda >= 1);
}

// (P - c(s)).x(s) = 0 gives grad s = x / (c'.x - (P - c).x').
glm::vec3 FrameCurve::slope(const Location& place, glm::vec3 point) const {
  constexpr float kStep = 1.0f / 256;
  if (is_end(place)) return glm::vec3(0.0f);
  const float from = std::max(place.lambda - kStep, 0.0f);
  const float to = std::min(place.lambda + kStep, 1.0f);
  const Affine here = frame_(place.piece, place.lambda);
  const Affine before = frame_(place.piece, from);
  const Affine after = frame_(place.piece, to);
  const double step = double{to - from} * lengths_[place.piece];
  const auto axis = [](const Affine& frame) { return glm::normalize(glm::dvec3(affine_axes(frame)[0])); };
  const glm::dvec3 centre_slope = glm::dvec3(affine_origin(after) - affine_origin(before)) / step;
  const glm::dvec3 axis_slope = (axis(after) - axis(before)) / step;
  const double turning =
      glm::dot(centre_slope, axis(here)) - glm::dot(glm::dvec3(point) - glm::dvec3(affine_origin(here)), axis_slope);
  // s is not smooth on lines in which cross sections of the curve meet.
  return turning > 0.05 ? glm::vec3(axis(here) / turning) : glm::vec3(0.0f);
}

}  // namespace pelt::chain
