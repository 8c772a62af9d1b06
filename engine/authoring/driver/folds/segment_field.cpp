// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/folds/segment_field.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>

#include "shaders/angle.h"
#include "shaders/power.h"

namespace pelt::folds {
namespace {

constexpr double kWidthAlong = 0.1;   // of the mean, as a fraction of the bone
constexpr double kWidthAround = 0.4;  // radians
constexpr double kBeyond = 0.02;      // fraction of the bone to which points beyond its ends count
constexpr double kAnyAngle = 1e-9;    // weight of points at other angles, for cells without near ones

// Not by the C library: these differ in the last digit, and folds that do not settle magnify it.
double bell(double x) { return shared::exp_of(static_cast<float>(-x * x)); }

}  // namespace

SegmentField::SegmentField(const glm::dvec3& from, const glm::dvec3& to, const glm::dvec3& side,
                           std::span<const glm::dvec3> points)
    : from_(from), length_(glm::distance(from, to)) {
  axes_[0] = (to - from) / length_;
  axes_[1] = glm::normalize(side - axes_[0] * glm::dot(side, axes_[0]));
  axes_[2] = glm::cross(axes_[0], axes_[1]);
  std::array<std::array<double, kAround>, kAlong> weights{};
  double mean = 0, count = 0;
  for (const glm::dvec3& point : points) {
    const double along = glm::dot(point - from_, axes_[0]) / length_;
    if (along < -kBeyond || along > 1 + kBeyond) continue;
    const Place place = place_of(point);
    mean += place.distance;
    ++count;
    const double squared = place.distance * place.distance;
    for (std::size_t i = 0; i < kAlong; ++i) {
      const double away = (place.along - (static_cast<double>(i) + 0.5) / kAlong) / kWidthAlong;
      const double near = bell(away);
      for (std::size_t j = 0; j < kAround; ++j) {
        const double centre = (static_cast<double>(j) + 0.5) / kAround * glm::two_pi<double>() - glm::pi<double>();
        const double turn = std::remainder(place.around - centre, glm::two_pi<double>()) / kWidthAround;
        const double weight = near * (bell(turn) + kAnyAngle);
        weights[i][j] += weight;
        radii_[i][j] += weight * squared * squared;
      }
    }
  }
  // The mean of fourth powers is nearer to the outermost layer of clothes.
  for (std::size_t i = 0; i < kAlong; ++i) {
    for (std::size_t j = 0; j < kAround; ++j) {
      const double weight = weights[i][j];
      radii_[i][j] = weight > 1e-20 ? std::sqrt(std::sqrt(radii_[i][j] / weight)) : mean / std::max(count, 1.0);
    }
  }
}

SegmentField::Place SegmentField::place_of(const glm::dvec3& point) const {
  const double along = std::clamp(glm::dot(point - from_, axes_[0]) / length_, 0.0, 1.0);
  const glm::dvec3 away = point - from_ - axes_[0] * (along * length_);
  const glm::vec2 side(glm::dot(away, axes_[1]), glm::dot(away, axes_[2]));
  return {along, shared::atan_of(side.y, side.x), glm::length(away)};
}

double SegmentField::depth(const glm::dvec3& point) const {
  const Place place = place_of(point);
  const double row = place.along * kAlong - 0.5;
  const double column = (place.around + glm::pi<double>()) / glm::two_pi<double>() * kAround - 0.5;
  const auto i = static_cast<std::size_t>(std::clamp(std::floor(row), 0.0, double{kAlong - 2}));
  const double down = std::clamp(row - static_cast<double>(i), 0.0, 1.0);
  const double right = column - std::floor(column);
  const auto j = static_cast<std::size_t>(std::floor(column) + kAround) % kAround;
  const auto between = [&](std::size_t r) { return glm::mix(radii_[r][j], radii_[r][(j + 1) % kAround], right); };
  return place.distance - glm::mix(between(i), between(i + 1), down);
}

double SegmentField::radius_at(bool end) const {
  double sum = 0;
  for (const double radius : radii_[end ? kAlong - 1 : 0]) sum += radius / kAround;
  return sum;
}

}  // namespace pelt::folds
