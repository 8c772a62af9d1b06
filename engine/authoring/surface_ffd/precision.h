// SPDX-License-Identifier: MIT
// Fits rows of driver vertices that reproduce what is known of a skin vertex: its place beside theirs, and its
// painting.
#pragma once

#include <cstddef>
#include <vector>

namespace pelt::surface_ffd {

// One row to fit: weights q_j over driver vertices, each with some features F_ij, and the weighted mean that each
// feature should have. The sum of the q_j is 1, or less if some vertices were left out of the row. The object is reused
// from row to row.
class RowFit {
 public:
  // Begins a row with this number of features.
  void begin(std::size_t features);
  // Sets the wanted mean of a feature, and how much a miss counts compared with a change of weights (stiffness, above
  // 0). To be called for every feature.
  void want(std::size_t feature, double mean, double stiffness);
  // Adds a driver vertex with a weight > 0 and returns its features, which the caller sets.
  double* add(double weight);

  // Returns the s_j >= 0 of sum 1 that minimise
  //
  //   sum over j of (s_j - q_j)^2 / q_j + sum over i of stiffness_i (sum over j of s_j F_ij - mean_i)^2
  //
  // They are continuous in all that was given. An entry that comes out as 0 may as well be left out.
  const std::vector<double>& solve();

  // Returns the same without the bound s_j >= 0, so that weights of both signs meet the wanted means better.
  const std::vector<double>& solve_signed();

 private:
  void begin_solution();
  double find_weights(const std::vector<double>& multipliers);
  void solve_system();
  const std::vector<double>& normalised();
  // `features`: features_, also as a constant.
  template <class Count>
  void sum_system(Count features);
  template <class Count>
  double factor(const std::vector<double>& multipliers, std::size_t j, Count features) const;

  std::size_t features_ = 0;
  std::vector<double> mean_;
  std::vector<double> stiffness_;
  std::vector<double> values_;  // features of each driver vertex
  std::vector<double> given_;   // q
  std::vector<double> solved_;  // s
  std::vector<double> active_;  // s of the step before
  std::vector<double> system_;
  std::vector<double> multipliers_;
  std::vector<double> trial_;
};

}  // namespace pelt::surface_ffd
