// SPDX-License-Identifier: MIT
#include "engine/authoring/learn/cross_validation.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace pelt::learning {

Eigen::MatrixXd ridge_inverse(const Eigen::MatrixXd& square, double ridge) {
  const auto size = square.rows();
  const double penalty = std::max(ridge * square.trace() / static_cast<double>(size), 1e-30);
  return (square + penalty * Eigen::MatrixXd::Identity(size, size)).ldlt().solve(Eigen::MatrixXd::Identity(size, size));
}

Eigen::MatrixXd ridge_fit(const Eigen::MatrixXd& weights, double ridge) {
  return ridge_inverse(weights.transpose() * weights, ridge) * weights.transpose();
}

CrossValidation::CrossValidation(const Eigen::MatrixXd& gram, std::span<const std::uint32_t> folds) {
  const std::uint32_t count = folds.empty() ? 0 : *std::ranges::max_element(folds) + 1;
  for (std::uint32_t f = 0; f < count; ++f) {
    Fold fold;
    for (std::size_t p = 0; p < folds.size(); ++p) {
      (folds[p] == f ? fold.out : fold.in).push_back(static_cast<Eigen::Index>(p));
    }
    fold.in_in = gram(fold.in, fold.in);
    fold.in_out = gram(fold.in, fold.out);
    fold.energy = gram(fold.out, fold.out).trace();
    energy_ += fold.energy;
    folds_.push_back(std::move(fold));
  }
}

// With weights W of the poses kept and V of those left out, G the Gram matrix and A = (W^T W + r I)^-1:
//   |R_out - V A W^T R_in|^2 = tr G_oo - 2 tr(A W^T G_io V) + tr(A W^T G_ii W A V^T V)
CrossValidation::Error CrossValidation::error(const Eigen::MatrixXd& weights) const {
  std::vector<double> squared(std::size(kRidges), energy_);
  for (const Fold& fold : folds_) {
    const Eigen::MatrixXd in = weights(fold.in, Eigen::all), out = weights(fold.out, Eigen::all);
    const Eigen::MatrixXd square = in.transpose() * in, seen = in.transpose() * fold.in_in * in;
    const Eigen::MatrixXd cross = in.transpose() * fold.in_out * out, unseen = out.transpose() * out;
    for (std::size_t r = 0; r < std::size(kRidges); ++r) {
      const Eigen::MatrixXd inverse = ridge_inverse(square, kRidges[r]);
      squared[r] += (inverse * seen * inverse * unseen).trace() - 2 * (inverse * cross).trace();
    }
  }
  const auto least = std::ranges::min_element(squared);
  return {*least, kRidges[least - squared.begin()]};
}

std::uint32_t assign_folds(std::span<const std::uint32_t> sequences, std::span<const double> share,
                           std::vector<std::uint32_t>& folds, bool* whole) {
  folds.assign(sequences.size(), 0);
  std::map<std::uint32_t, double> of_sequence;
  for (std::size_t p = 0; p < share.size(); ++p) of_sequence[sequences[p]] += share[p];
  const double sum = std::accumulate(share.begin(), share.end(), 0.0);
  const double least = std::min(0.03, 0.5 / static_cast<double>(of_sequence.size())) * sum;
  const auto matter = std::ranges::count_if(of_sequence, [&](const auto& s) { return s.second > least; });
  if (whole != nullptr) *whole = matter >= 2;
  if (matter >= 2) {
    std::map<std::uint32_t, std::uint32_t> fold_of;
    const auto groups = std::min<std::uint32_t>(kFolds, static_cast<std::uint32_t>(matter));
    std::uint32_t next = 0;
    for (const auto& [sequence, much] : of_sequence) {
      fold_of[sequence] = next % groups;
      next += much > least ? 1 : 0;
    }
    for (std::size_t p = 0; p < folds.size(); ++p) folds[p] = fold_of[sequences[p]];
    return groups;
  }
  constexpr std::size_t kRuns = 12;
  std::vector<std::size_t> moved;  // poses that matter
  const double mean = sum / static_cast<double>(std::max<std::size_t>(share.size(), 1));
  for (std::size_t p = 0; p < share.size(); ++p) {
    if (share[p] > 0.05 * mean) moved.push_back(p);
  }
  for (std::size_t i = 0; i < moved.size(); ++i) {
    folds[moved[i]] = static_cast<std::uint32_t>(i * std::min(kRuns, moved.size()) / moved.size() % kFolds);
  }
  return static_cast<std::uint32_t>(std::min<std::size_t>(kFolds, std::max<std::size_t>(moved.size(), 1)));
}

}  // namespace pelt::learning
