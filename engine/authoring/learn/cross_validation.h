// SPDX-License-Identifier: MIT
// Ridge regressions that are measured in poses which they have not seen.
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <span>
#include <vector>

namespace pelt::learning {

// The weights of the penalty that are tried, of the mean square of a column.
inline constexpr double kRidges[] = {1e-7, 1e-3, 3e-2};

// Returns (W^T W + r I)^-1, r: `ridge` times the mean diagonal element of W^T W.
Eigen::MatrixXd ridge_inverse(const Eigen::MatrixXd& square, double ridge);

// Returns (W^T W + r I)^-1 W^T, which maps a residual to the shapes of the columns of W.
Eigen::MatrixXd ridge_fit(const Eigen::MatrixXd& weights, double ridge);

// A residual over poses, R, of which only R R^T is known: all regressions onto few columns follow from it.
class CrossValidation {
 public:
  // `gram`: R R^T. `folds`: that of each pose, from 0; all poses of a fold are left out together.
  CrossValidation(const Eigen::MatrixXd& gram, std::span<const std::uint32_t> folds);

  struct Error {
    double squared = 0;  // sum over all poses, each left out once
    double ridge = kRidges[0];
  };
  // Returns the least error of regressions onto columns of weights, over kRidges.
  Error error(const Eigen::MatrixXd& weights) const;
  double energy() const { return energy_; }  // the squared error of no regression

 private:
  struct Fold {
    std::vector<Eigen::Index> in, out;  // poses
    Eigen::MatrixXd in_in, in_out;      // parts of the Gram matrix
    double energy;                      // of the poses left out
  };
  std::vector<Fold> folds_;
  double energy_ = 0;
};

// Assigns poses to folds: whole sequences if at least two matter, at most kFolds groups of them; else short runs of
// poses in turn. `share`: how much a pose matters; `sequences`: of each pose; `whole`: set to whether folds are of
// whole sequences, or null. Returns the number of folds.
inline constexpr std::uint32_t kFolds = 4;
std::uint32_t assign_folds(std::span<const std::uint32_t> sequences, std::span<const double> share,
                           std::vector<std::uint32_t>& folds, bool* whole = nullptr);

}  // namespace pelt::learning
