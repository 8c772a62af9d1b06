// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/fit_weights.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include <pelt/frame.h>

namespace pelt {
namespace {

constexpr std::size_t kMaxCandidates = 12;  // joints among which a vertex's weights are found
constexpr std::size_t kRankPoses = 16;      // poses by which joints are ranked as candidates
constexpr double kHeld = 1e-5;  // pull to a vertex's own weights, in sizes of the character; below packing's rounding

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMaxCandidates, kMaxCandidates>;
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMaxCandidates, 1>;

// Returns the w that minimises w^T D w with w >= 0, sum w = 1 and w_i = 0 unless allowed[i], for a positive definite D.
// Uses an active set as in Lawson & Hanson 1974, "Solving Least Squares Problems", chapter 23, but on the simplex, and
// starts at the best corner. Precondition: at least one is allowed.
Vector least_on_simplex(const Matrix& d, const std::vector<bool>& allowed) {
  const Eigen::Index n = d.rows();
  std::vector<Eigen::Index> free;  // indices with w > 0
  Vector w = Vector::Zero(n);
  Eigen::Index best = -1;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (allowed[i] && (best < 0 || d(i, i) < d(best, best))) best = i;
  }
  free.push_back(best);
  w[best] = 1;
  // Each round lowers w^T D w, so that no set comes twice; the bound guards against rounding.
  for (Eigen::Index round = 0; round < 4 * n; ++round) {
    // The slope from here to corner i is 2 (g_i - w.g).
    const Vector g = d * w;
    const double level = w.dot(g);
    Eigen::Index entering = -1;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!allowed[i] || w[i] > 0 || g[i] >= level - 1e-9 * std::abs(level)) continue;
      if (entering < 0 || g[i] < g[entering]) entering = i;
    }
    if (entering < 0) break;
    free.push_back(entering);
    while (true) {
      const auto count = static_cast<Eigen::Index>(free.size());
      Matrix part(count, count);
      for (Eigen::Index a = 0; a < count; ++a) {
        for (Eigen::Index b = 0; b < count; ++b) part(a, b) = d(free[a], free[b]);
      }
      Vector z = part.ldlt().solve(Vector::Ones(count));
      z /= z.sum();
      if (!z.allFinite()) return w;
      // Returns the step towards z up to which weight a stays positive.
      const auto reach = [&](Eigen::Index a) {
        const double weight = w[free[a]];
        return z[a] > 0 ? 2.0 : weight > 0 ? weight / (weight - z[a]) : 0.0;
      };
      double step = 1;
      for (Eigen::Index a = 0; a < count; ++a) step = std::min(step, reach(a));
      std::vector<Eigen::Index> kept;
      for (Eigen::Index a = 0; a < count; ++a) {
        const bool leaves = reach(a) <= step;
        double& weight = w[free[a]];
        weight = leaves ? 0 : weight + step * (z[a] - weight);
        if (!leaves) kept.push_back(free[a]);
      }
      const bool reached = kept.size() == free.size();
      free = std::move(kept);
      if (reached || free.empty()) break;
    }
  }
  return w;
}

}  // namespace

VertexFitter::VertexFitter(const FitSamples& samples, unsigned influences, double scale)
    : samples_(samples),
      influences_(influences),
      held_(kHeld * scale * std::sqrt(static_cast<double>(samples.count()))) {
  const std::size_t step = std::max<std::size_t>(1, samples.count() / kRankPoses);
  for (std::size_t s = 0; s < samples.count(); s += step) rank_poses_.push_back(s);
}

void VertexFitter::fit(std::size_t vertex, glm::vec3 rest, std::span<const Influence> painted,
                       std::vector<WeightedElement>& row) {
  find_candidates(vertex, rest, painted);
  const auto n = static_cast<Eigen::Index>(candidates_.size());
  // Since sum w = 1, | v' - sum w M p |^2 = | sum w (M p - v') |^2, which avoids differences of large numbers.
  const auto rows = static_cast<Eigen::Index>(3 * samples_.count());
  apart_.resize(rows + n, n);
  for (Eigen::Index c = 0; c < n; ++c) {
    for (std::size_t s = 0; s < samples_.count(); ++s) {
      const glm::vec3 d = transform_point(samples_.motions[s][candidates_[c]], rest) - samples_.positions[s][vertex];
      for (int axis = 0; axis < 3; ++axis) apart_(static_cast<Eigen::Index>(3 * s) + axis, c) = d[axis];
    }
  }
  // The lower rows add a small | w - painted |^2: among joints that move alike in all poses, the painted ones win.
  apart_.bottomRows(n).setZero();
  for (Eigen::Index c = 0; c < n; ++c) {
    for (const Influence& influence : painted) {
      if (influence.index == candidates_[c]) apart_.row(rows + c).array() -= held_ * double{influence.weight};
    }
    apart_(rows + c, c) += held_;
  }
  Matrix products(n, n);
  products.noalias() = apart_.transpose() * apart_;
  products.diagonal().array() += 1e-3 * held_ * held_;  // `painted` may be an exact solution
  std::vector<bool> allowed(candidates_.size(), true);
  Vector w = least_on_simplex(products, allowed);
  // Drop the smallest weight while there are too many, or while the loss is below the pull to `painted`.
  while (true) {
    Eigen::Index least = -1;
    unsigned used = 0;
    for (Eigen::Index c = 0; c < n; ++c) {
      allowed[c] = w[c] > 0;
      if (!allowed[c]) continue;
      ++used;
      if (least < 0 || w[c] < w[least]) least = c;
    }
    if (used == 1) break;
    allowed[least] = false;
    const Vector fewer = least_on_simplex(products, allowed);
    const double lost = fewer.dot(products * fewer) - w.dot(products * w);
    if (used <= influences_ && lost > held_ * held_) break;
    w = fewer;
  }
  row.clear();
  for (Eigen::Index c = 0; c < n; ++c) {
    if (w[c] > 0) row.push_back({candidates_[c], w[c]});
  }
  std::sort(row.begin(), row.end(), [](const WeightedElement& a, const WeightedElement& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.index < b.index;
  });
}

void VertexFitter::find_candidates(std::size_t vertex, glm::vec3 rest, std::span<const Influence> painted) {
  candidates_.clear();
  ranked_.clear();
  for (std::uint32_t j = 0; j < samples_.joint_count; ++j) {
    float sum = 0;
    for (const std::size_t s : rank_poses_) {
      const glm::vec3 d = transform_point(samples_.motions[s][j], rest) - samples_.positions[s][vertex];
      sum += glm::dot(d, d);
    }
    ranked_.emplace_back(sum, j);
  }
  strongest_.assign(painted.begin(), painted.end());
  std::sort(strongest_.begin(), strongest_.end(), [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.index < b.index;
  });
  for (const Influence& influence : strongest_) {
    if (candidates_.size() < 2 * kMaxCandidates / 3 && influence.weight > 0) candidates_.push_back(influence.index);
  }
  const std::size_t kept = std::min(ranked_.size(), 2 * kMaxCandidates);
  std::partial_sort(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(kept), ranked_.end());
  for (std::size_t i = 0; i < kept && candidates_.size() < kMaxCandidates; ++i) {
    const std::uint32_t joint = ranked_[i].second;
    if (std::find(candidates_.begin(), candidates_.end(), joint) == candidates_.end()) candidates_.push_back(joint);
  }
}

}  // namespace pelt
