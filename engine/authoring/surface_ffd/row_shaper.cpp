// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/row_shaper.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pelt::surface_ffd {
namespace {

constexpr double kPlaceStiffness = 500;     // stiffness of a row's position, relative to its weights
constexpr double kPaintingStiffness = 450;  // stiffness of its painting
// Stiffness of position and its squares, if weights of both signs can match both.
constexpr double kQuadraticStiffness = 1e5;
// Part of a row that the vertex's own part of the skin moves, from which and up to which other parts move it too. They
// move only what is too small for the driver to have triangles of its own: a button follows the shirt under it, a plate
// does not follow the limb under it.
constexpr double kOthers = 0.05;
constexpr double kOwn = 0.25;
constexpr double kMaxSize = 2;  // largest sum of the absolute weights of a row with both signs

// Keeps the strongest driver vertices of a row, which may be in any order and scale. Like the cut to K elements it is
// continuous: a weight s becomes s - f (f / s)^2, with f the largest dropped weight. That lowers only weak weights and
// hardly changes the ratios of strong ones. So 8 of the roughly 16 vertices of 26 elements carry the skin nearly as all
// do (docs/quality.md).
void cut_influences(std::vector<WeightedElement>& row, std::size_t kept) {
  if (kept == 0 || row.size() <= kept) return;
  const auto stronger = [](const WeightedElement& a, const WeightedElement& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.index < b.index;
  };
  std::nth_element(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(kept), row.end(), stronger);
  const double floor = row[kept].weight;
  row.resize(kept);
  const double largest =
      std::ranges::max_element(row, [](const auto& a, const auto& b) { return a.weight < b.weight; })->weight;
  if (largest - floor <= 1e-12 * static_cast<double>(kept) * largest) return;  // all weights are equal
  for (WeightedElement& vertex : row) vertex.weight -= floor * (floor / vertex.weight) * (floor / vertex.weight);
}

void normalise(std::vector<WeightedElement>& row) {
  double sum = 0;
  for (const WeightedElement& influence : row) sum += influence.weight;
  for (WeightedElement& influence : row) influence.weight /= sum;
}

}  // namespace

void RowShaper::shape(std::uint32_t vertex, const glm::dvec3& point, const glm::dvec3& normal, double unit,
                      std::vector<WeightedElement>& row) {
  unit_ = unit;
  std::swap(row, row_);
  if (settings_.weight_similarity > 0) scale_by_similarity(vertex);
  separate_parts(vertex);
  normalise(row_);
  if (settings_.precision == Precision::kLinear) {
    whole_ = row_;
    fit(vertex, point, normal);
    if (settings_.kept_influences != 0 && row_.size() > settings_.kept_influences) {
      cut_fitted();
      fit(vertex, point, normal);
    }
  } else {
    cut_influences(row_, settings_.kept_influences);
    normalise(row_);
    if (settings_.precision == Precision::kQuadratic) fit_quadratic(vertex, point, normal);
  }
  std::swap(row, row_);
}

// Returns true if two influences are of one joint. Each skin may bind a joint again.
bool RowShaper::is_same_joint(const Influence& a, const Influence& b) const {
  return settings_.joints[a.index] == settings_.joints[b.index];
}

// Multiplies the weight of each driver vertex j by a_j, its weight similarity to the skin vertex: the sum over joints
// of the smaller weight, to the power of `weight_similarity`.
void RowShaper::scale_by_similarity(std::uint32_t vertex) {
  constexpr double kMin = 1e-6;
  const SparseRows& driver = settings_.painting;
  if (driver.row_count() == 0 || mesh_.weights.row_count() == 0) return;
  const std::span<const Influence> painted = mesh_.weights.row(vertex);
  alike_.clear();
  double most = kMin;
  for (const WeightedElement& j : row_) {
    double alike = kMin;
    for (const Influence& theirs : driver.row(j.index)) {
      for (const Influence& ours : painted) {
        if (is_same_joint(ours, theirs)) alike += std::min(ours.weight, theirs.weight);
      }
    }
    alike_.push_back(alike);
    most = std::max(most, alike);
  }
  // The default exponent is 1, for which pow would take a twentieth of the time of bind.
  const double exponent = settings_.weight_similarity;
  for (std::size_t j = 0; j < row_.size(); ++j) {
    const double alike = alike_[j] / most;
    row_[j].weight *= std::max(exponent == 1 ? alike : std::pow(alike, exponent), kMin * kMin);
  }
}

// Lowers the weights of driver vertices of other parts of the mesh, the more, the more its own part moves the vertex.
void RowShaper::separate_parts(std::uint32_t vertex) {
  const auto is_apart = [&](const WeightedElement& j) { return exclusions_.is_apart(vertex, j.index); };
  if (std::ranges::none_of(row_, is_apart)) return;
  double own = 0, all = 0;
  for (const WeightedElement& j : row_) {
    all += j.weight;
    own += is_apart(j) ? 0 : j.weight;
  }
  const double kept = 1 - glm::smoothstep(kOthers, kOwn, own / all);
  for (WeightedElement& j : row_) j.weight *= is_apart(j) ? kept : 1.0;
  std::erase_if(row_, [](const WeightedElement& j) { return j.weight == 0; });
}

// Cuts the fitted row_. Kept entries get their weights of whole_, times the fraction of their fitted weights that the
// cut keeps. So a cut that drops nothing changes nothing, and an entry without weight in a fit may be left out of it.
void RowShaper::cut_fitted() {
  fitted_ = row_;
  cut_influences(row_, settings_.kept_influences);
  const auto weight_in = [](const std::vector<WeightedElement>& row, std::uint32_t index) {
    return std::ranges::find(row, index, &WeightedElement::index)->weight;
  };
  for (WeightedElement& influence : row_)
    influence.weight *= weight_in(whole_, influence.index) / weight_in(fitted_, influence.index);
  std::erase_if(row_, [](const WeightedElement& influence) { return !(influence.weight > 0); });
}

// Sets up the fit of row_: the wanted means of position and painting, and optionally of the squares of position.
void RowShaper::begin_fit(std::uint32_t vertex, const glm::dvec3& point, const glm::dvec3& normal, bool with_squares) {
  // If sheets cancel, no surface direction is known.
  const bool along = normal != glm::dvec3(0);
  const glm::dvec3 aside = std::abs(normal.x) < 0.5 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
  const glm::dvec3 e = along ? glm::normalize(glm::cross(normal, aside)) : glm::dvec3(0);
  const glm::dvec3 f = glm::cross(normal, e);
  std::span<const Influence> painted;
  if (settings_.painting.row_count() > 0 && mesh_.weights.row_count() > 0) painted = mesh_.weights.row(vertex);
  const std::size_t squares = 2 + painted.size();
  const std::size_t count = with_squares ? squares + 3 : squares;
  fit_.begin(count);
  const double of_place = with_squares ? kQuadraticStiffness : kPlaceStiffness;
  fit_.want(0, 0, of_place);
  fit_.want(1, 0, of_place);
  for (std::size_t i = 0; i < painted.size(); ++i) fit_.want(2 + i, painted[i].weight, kPaintingStiffness);
  for (std::size_t i = squares; i < count; ++i) fit_.want(i, 0, of_place);
  for (const WeightedElement& j : row_) {
    double* features = fit_.add(j.weight);
    const glm::dvec3 d = (glm::dvec3(settings_.driver.positions[j.index]) - point) / unit_;
    features[0] = glm::dot(d, e);
    features[1] = glm::dot(d, f);
    if (with_squares) {
      features[squares] = features[0] * features[0];
      // Makes the fit independent of the directions of e and f.
      features[squares + 1] = std::numbers::sqrt2 * features[0] * features[1];
      features[squares + 2] = features[1] * features[1];
    }
    if (painted.empty()) continue;
    for (const Influence& theirs : settings_.painting.row(j.index)) {
      for (std::size_t i = 0; i < painted.size(); ++i) {
        if (is_same_joint(painted[i], theirs)) features[2 + i] += theirs.weight;
      }
    }
  }
}

void RowShaper::fit(std::uint32_t vertex, const glm::dvec3& point, const glm::dvec3& normal) {
  begin_fit(vertex, point, normal, false);
  keep_solved(fit_.solve());
}

// Also fits the squares of position, by weights of both signs. Takes as much of that fit as kMaxSize allows, and the
// rest from the linear fit: |a s + b t| <= a |s| + b |t|.
void RowShaper::fit_quadratic(std::uint32_t vertex, const glm::dvec3& point, const glm::dvec3& normal) {
  begin_fit(vertex, point, normal, true);
  quadratic_ = fit_.solve_signed();
  double size = 0;
  for (const double weight : quadratic_) size += std::abs(weight);
  const double part = size > kMaxSize ? (kMaxSize - 1) / (size - 1) : 1.0;
  if (part < 1) {
    begin_fit(vertex, point, normal, false);
    const std::vector<double>& linear = fit_.solve();
    for (std::size_t j = 0; j < row_.size(); ++j) quadratic_[j] = std::lerp(linear[j], quadratic_[j], part);
  }
  keep_solved(quadratic_);
}

void RowShaper::keep_solved(const std::vector<double>& solved) {
  std::size_t kept = 0;
  for (std::size_t j = 0; j < row_.size(); ++j) {
    if (std::abs(solved[j]) > 1e-9) row_[kept++] = {row_[j].index, solved[j]};
  }
  row_.resize(kept);
}

}  // namespace pelt::surface_ffd
