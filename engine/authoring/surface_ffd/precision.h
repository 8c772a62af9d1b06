// SPDX-License-Identifier: MIT
// Fits rows of driver vertices that reproduce the position and the painting of a skin vertex.
#pragma once

#include <cstddef>
#include <vector>

namespace pelt::surface_ffd {

// One row to fit: weights q_j over driver vertices, each with some features F_ij, and the wanted weighted mean of each
// feature. The sum of the q_j is 1, or less if the row lacks some vertices. The object is reused from row to row.
class RowFit {
 public:
  // Begins a row with this number of features.
  void begin(std::size_t features);
  // Sets the wanted mean of a feature, and the cost of a miss relative to a change of weights (stiffness, above 0).
  // Call it for every feature.
  void want(std::size_t feature, double mean, double stiffness);
  // Adds a driver vertex with a weight > 0 and returns its features, for the caller to set.
  double* add(double weight);

  // Returns the s_j >= 0 of sum 1 that minimise
  //
  //   sum over j of (s_j - q_j)^2 / q_j + sum over i of stiffness_i (sum over j of s_j F_ij - mean_i)^2
  //
  // They are continuous in all inputs. An entry that becomes 0 may be left out.
  const std::vector<double>& solve();

  // Returns the same without the bound s_j >= 0, so that weights of both signs approach the wanted means better.
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
  std::vector<double> active_;  // s of the previous step
  std::vector<double> system_;
  std::vector<double> multipliers_;
  std::vector<double> trial_;
};

}  // namespace pelt::surface_ffd
