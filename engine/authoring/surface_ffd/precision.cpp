// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/precision.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

namespace pelt::surface_ffd {
namespace {

// Calls work(count). Usual counts of rows are constants, so that their loops are unrolled.
template <class Work>
void with_count(std::size_t count, const Work& work) {
  const auto of_constant = [&]<std::size_t... k>(std::index_sequence<k...>) {
    return ((count == k + 2 && (work(std::integral_constant<std::size_t, k + 2>()), true)) || ...);
  };
  if (!of_constant(std::make_index_sequence<6>())) work(count);
}

// Returns count + 1; a constant for a constant.
template <class Count>
auto next(Count count) {
  if constexpr (std::is_same_v<Count, std::size_t>) {
    return count + 1;
  } else {
    return std::integral_constant<std::size_t, Count::value + 1>();
  }
}

// Solves A x = b in place by elimination with pivots. Each row of A has its b as the last entry, which becomes x.
template <class Count>
void solve_linear(std::vector<double>& rows, Count count) {
  const std::size_t width = count + 1;
  for (std::size_t column = 0; column < count; ++column) {
    std::size_t pivot = column;
    for (std::size_t r = column + 1; r < count; ++r) {
      if (std::abs(rows[r * width + column]) > std::abs(rows[pivot * width + column])) pivot = r;
    }
    if (pivot != column) {
      std::swap_ranges(rows.begin() + static_cast<std::ptrdiff_t>(pivot * width),
                       rows.begin() + static_cast<std::ptrdiff_t>((pivot + 1) * width),
                       rows.begin() + static_cast<std::ptrdiff_t>(column * width));
    }
    const double inverse = 1 / rows[column * width + column];
    for (std::size_t r = 0; r < count; ++r) {
      const double factor = rows[r * width + column] * inverse;
      if (r == column || factor == 0) continue;
      for (std::size_t c = column; c < width; ++c) rows[r * width + c] -= factor * rows[column * width + c];
    }
    for (std::size_t c = column; c < width; ++c) rows[column * width + c] *= inverse;
  }
}

}  // namespace

void RowFit::begin(std::size_t features) {
  features_ = features;
  mean_.assign(features, 0.0);
  stiffness_.assign(features, 0.0);
  values_.clear();
  given_.clear();
}

void RowFit::want(std::size_t feature, double mean, double stiffness) {
  mean_[feature] = mean;
  stiffness_[feature] = stiffness;
}

double* RowFit::add(double weight) {
  given_.push_back(weight);
  values_.resize(values_.size() + features_, 0.0);
  return values_.data() + values_.size() - features_;
}

// Subtracts their wanted means from the features.
void RowFit::begin_solution() {
  for (std::size_t j = 0; j < given_.size(); ++j) {
    for (std::size_t i = 0; i < features_; ++i) values_[j * features_ + i] -= mean_[i];
  }
  multipliers_.assign(features_ + 1, 0.0);
}

// Solves the dual problem: s_j = q_j t_j with t_j = 1 + y_0 + y . (F_j - mean) if that is above 0, else 0, with the y
// of the least 1/2 sum q_j t_j^2 - y_0 + 1/2 sum y_i^2 / stiffness_i. That is convex, and quadratic while the same t_j
// are above 0, so Newton's steps, shortened until they descend, end at its minimum.
const std::vector<double>& RowFit::solve() {
  constexpr int kMaxSteps = 40;
  constexpr int kMaxHalvings = 20;
  const std::size_t size = features_ + 1;
  begin_solution();
  // Multipliers of 0 change nothing: every t_j is 1.
  solved_ = given_;
  double value = 0;
  for (const double q : given_) value += 0.5 * q;
  for (int step = 0; step < kMaxSteps; ++step) {
    solve_system();
    active_ = solved_;
    double share = 1;
    double found = 0;
    for (int halving = 0; halving <= kMaxHalvings; ++halving, share /= 2) {
      trial_ = multipliers_;
      for (std::size_t i = 0; i < size; ++i) trial_[i] += share * (system_[i * (size + 1) + size] - multipliers_[i]);
      found = find_weights(trial_);
      if (found <= value) break;
    }
    if (!(found <= value)) {
      find_weights(multipliers_);
      break;
    }
    value = found;
    multipliers_ = trial_;
    const bool same = std::ranges::equal(active_, solved_, [](double a, double b) { return (a > 0) == (b > 0); });
    if (share == 1 && same) break;
  }
  return normalised();
}

// No t_j has to be above 0 here, so the first Newton step ends at the minimum.
const std::vector<double>& RowFit::solve_signed() {
  const std::size_t size = features_ + 1;
  begin_solution();
  solved_ = given_;
  solve_system();
  for (std::size_t i = 0; i < size; ++i) multipliers_[i] = system_[i * (size + 1) + size];
  for (std::size_t j = 0; j < given_.size(); ++j) solved_[j] = given_[j] * factor(multipliers_, j, features_);
  return normalised();
}

// Returns the solution scaled to the sum 1; the original weights if there is no solution.
const std::vector<double>& RowFit::normalised() {
  double sum = 0;
  for (const double weight : solved_) sum += weight;
  if (!(sum > 0)) return given_;
  for (double& weight : solved_) weight /= sum;
  return solved_;
}

// t_j
template <class Count>
double RowFit::factor(const std::vector<double>& multipliers, std::size_t j, Count features) const {
  double t = 1 + multipliers[0];
  for (std::size_t i = 0; i < features; ++i) t += multipliers[i + 1] * values_[j * features + i];
  return t;
}

// Sets the weights of the multipliers y and returns the dual's value there.
double RowFit::find_weights(const std::vector<double>& multipliers) {
  double value = -multipliers[0];
  for (std::size_t i = 0; i < features_; ++i) {
    value += 0.5 * multipliers[i + 1] * multipliers[i + 1] / stiffness_[i];
  }
  solved_.resize(given_.size());
  with_count(features_, [&](auto features) {
    for (std::size_t j = 0; j < given_.size(); ++j) {
      const double t = std::max(factor(multipliers, j, features), 0.0);
      solved_[j] = given_[j] * t;
      value += 0.5 * given_[j] * t * t;
    }
  });
  return value;
}

// Finds the multipliers that minimise the dual if the same weights stay above 0: the last column of the system.
void RowFit::solve_system() {
  const std::size_t size = features_ + 1;
  system_.assign(size * (size + 1), 0.0);
  with_count(features_, [&](auto features) {
    sum_system(features);
    solve_linear(system_, next(features));
  });
}

// Sets the system, from the entries on and below the diagonal.
template <class Count>
void RowFit::sum_system(Count features) {
  const std::size_t size = features + 1;
  double* const system = system_.data();
  const auto entry = [&](std::size_t row, std::size_t column) -> double& { return system[row * (size + 1) + column]; };
  for (std::size_t i = 0; i < features; ++i) entry(i + 1, i + 1) = 1 / stiffness_[i];
  double left = 1;
  for (std::size_t j = 0; j < given_.size(); ++j) {
    if (!(solved_[j] > 0)) continue;
    const double q = given_[j];
    const double* values = values_.data() + j * features;
    entry(0, 0) += q;
    left -= q;
    for (std::size_t a = 0; a < features; ++a) {
      const double weighted = q * values[a];
      entry(a + 1, 0) += weighted;
      for (std::size_t b = 0; b <= a; ++b) entry(a + 1, b + 1) += weighted * values[b];
    }
  }
  for (std::size_t a = 0; a < size; ++a) {
    entry(a, size) = a == 0 ? left : -entry(a, 0);
    for (std::size_t b = a + 1; b < size; ++b) entry(a, b) = entry(b, a);
  }
}

}  // namespace pelt::surface_ffd
