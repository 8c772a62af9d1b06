// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/precision.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pelt::surface_ffd {
namespace {

// Solves A x = b in place by elimination with pivots; rows of A hold b as their last entry. x: the last entries.
void solve_linear(std::vector<double>& rows, std::size_t count) {
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

const std::vector<double>& RowFit::solve() {
  // s_j = q_j max(0, 1 + y . (F_j - mean) + y_0), with the y at which sum s = 1 and sum s (F - mean) = -y / stiffness:
  // linear while the same s_j are above 0, so that a few rounds find which those are.
  constexpr int kMostRounds = 12;
  const std::size_t count = given_.size();
  const std::size_t size = features_ + 1;
  double sum = 0;
  for (const double weight : given_) sum += weight;
  for (double& weight : given_) weight /= sum;
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t i = 0; i < features_; ++i) values_[j * features_ + i] -= mean_[i];
  }
  solved_ = given_;
  for (int round = 0; round < kMostRounds; ++round) {
    system_.assign(size * (size + 1), 0.0);
    const auto entry = [&](std::size_t row, std::size_t column) -> double& {
      return system_[row * (size + 1) + column];
    };
    entry(0, size) = 1;
    for (std::size_t i = 0; i < features_; ++i) entry(i + 1, i + 1) = 1 / stiffness_[i];
    for (std::size_t j = 0; j < count; ++j) {
      if (!(solved_[j] > 0)) continue;
      const double q = given_[j];
      const double* values = values_.data() + j * features_;
      entry(0, 0) += q;
      entry(0, size) -= q;
      for (std::size_t a = 0; a < features_; ++a) {
        entry(0, a + 1) += q * values[a];
        entry(a + 1, size) -= q * values[a];
        for (std::size_t b = 0; b <= a; ++b) entry(a + 1, b + 1) += q * values[a] * values[b];
      }
    }
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = a + 1; b < size; ++b) {
        if (a == 0) {
          entry(b, a) = entry(a, b);
        } else {
          entry(a, b) = entry(b, a);
        }
      }
    }
    solve_linear(system_, size);
    bool same = true;
    for (std::size_t j = 0; j < count; ++j) {
      const double* values = values_.data() + j * features_;
      double factor = 1 + entry(0, size);
      for (std::size_t i = 0; i < features_; ++i) factor += entry(i + 1, size) * values[i];
      same = same && (solved_[j] > 0) == (factor > 0);
      solved_[j] = given_[j] * std::max(factor, 0.0);
    }
    if (same) break;
  }
  sum = 0;
  for (const double weight : solved_) sum += weight;
  if (!(sum > 0)) return given_;
  for (double& weight : solved_) weight /= sum;
  return solved_;
}

}  // namespace pelt::surface_ffd
