// SPDX-License-Identifier: MIT
// Rows of driver vertices that reproduce what is known of a skin vertex: its place beside theirs, and its painting.
#pragma once

#include <cstddef>
#include <vector>

namespace pelt::surface_ffd {

// One row: weights q_j over driver vertices, of sum 1 or less where some were left out of the row, each with some
// features F_ij, and what the weighted mean of each feature should be. Reused from row to row.
class RowFit {
 public:
  // Begins a row of `features`.
  void begin(std::size_t features);
  // Wanted mean of a feature, and how much a miss counts beside a change of weights, above 0. Of every feature.
  void want(std::size_t feature, double mean, double stiffness);
  // Adds a driver vertex of weight `weight` > 0; its features are to be set.
  double* add(double weight);

  // The s_j >= 0 of sum 1 that minimise
  //
  //   sum over j of (s_j - q_j)^2 / q_j + sum over i of stiffness_i (sum over j of s_j F_ij - mean_i)^2
  //
  // Continuous in all that was given; an entry that comes out as 0 may as well be left out.
  const std::vector<double>& solve();

  // The same without s_j >= 0, so that weights of both signs meet more of what is wanted.
  const std::vector<double>& solve_signed();

 private:
  void begin_solution();
  double find_weights(const std::vector<double>& multipliers);
  void solve_system();
  const std::vector<double>& normalised();
  double factor(const std::vector<double>& multipliers, std::size_t j) const;

  std::size_t features_ = 0;
  std::vector<double> mean_;
  std::vector<double> stiffness_;
  std::vector<double> values_;  // of each driver vertex its features
  std::vector<double> given_;   // q
  std::vector<double> solved_;  // s
  std::vector<double> active_;  // s of the step before
  std::vector<double> system_;
  std::vector<double> multipliers_;
  std::vector<double> trial_;
};

}  // namespace pelt::surface_ffd
