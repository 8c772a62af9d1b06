// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/multigrid.h"

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "engine/authoring/base/stop.h"

namespace pelt {
namespace {

using Matrix = Multigrid::Matrix;
using View = Multigrid::View;
using Entries = View::InnerIterator;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kAggregate = 8;  // unknowns of an aggregate
constexpr double kStrong = 0.25;       // links at least this strong, relative to the strongest of a row, join unknowns
constexpr Eigen::Index kFewUnknowns = 1500;  // a level with at most this many is factorized
constexpr std::size_t kMaxLevels = 12;

// Returns the largest negated entry off the diagonal of a column, and its row.
std::pair<double, std::uint32_t> strongest_link(const View& matrix, Eigen::Index column) {
  std::pair<double, std::uint32_t> strongest{0, kNone};
  for (Entries entry(matrix, column); entry; ++entry) {
    if (entry.row() == column || !(-entry.value() > strongest.first)) continue;
    strongest = {-entry.value(), static_cast<std::uint32_t>(entry.row())};
  }
  return strongest;
}

struct Aggregates {
  std::vector<std::uint32_t> of;  // of each unknown
  std::uint32_t count = 0;
};

Aggregates find_aggregates(const View& matrix) {
  Aggregates found{std::vector<std::uint32_t>(static_cast<std::size_t>(matrix.cols()), kNone)};
  std::vector<std::uint32_t> members;
  for (std::uint32_t first = 0; first < found.of.size(); ++first) {
    const auto [most, nearest] = strongest_link(matrix, first);
    if (found.of[first] != kNone || nearest == kNone) continue;
    members.assign(1, first);
    found.of[first] = found.count;
    for (std::size_t i = 0; i < members.size() && members.size() < kAggregate; ++i) {
      const double least = kStrong * strongest_link(matrix, members[i]).first;
      for (Entries entry(matrix, members[i]); entry && members.size() < kAggregate; ++entry) {
        const auto other = static_cast<std::uint32_t>(entry.row());
        if (found.of[other] != kNone || -entry.value() < least) continue;
        found.of[other] = found.count;
        members.push_back(other);
      }
    }
    if (members.size() == 1 && found.of[nearest] != kNone) {
      found.of[first] = found.of[nearest];
    } else {
      ++found.count;
    }
  }
  return found;
}

// Returns the sums of the matrix over pairs of aggregates.
Matrix coarsen(const View& matrix, const Aggregates& aggregates) {
  std::vector<std::uint32_t> begins(aggregates.count + 1, 0);
  for (const std::uint32_t a : aggregates.of) {
    if (a != kNone) ++begins[a + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<std::uint32_t> members(begins.back());
  std::vector<std::uint32_t> ends(begins.begin(), begins.end() - 1);
  for (std::uint32_t i = 0; i < aggregates.of.size(); ++i) {
    if (aggregates.of[i] != kNone) members[ends[aggregates.of[i]]++] = i;
  }
  Matrix coarse(aggregates.count, aggregates.count);
  coarse.reserve(matrix.nonZeros() / 4);
  std::vector<std::uint32_t> place(aggregates.count, kNone);
  std::vector<std::pair<std::uint32_t, double>> column;
  for (std::uint32_t a = 0; a < aggregates.count; ++a) {
    column.clear();
    for (std::uint32_t k = begins[a]; k < begins[a + 1]; ++k) {
      for (Entries entry(matrix, members[k]); entry; ++entry) {
        const std::uint32_t other = aggregates.of[static_cast<std::size_t>(entry.row())];
        if (other == kNone) continue;
        if (place[other] == kNone) {
          place[other] = static_cast<std::uint32_t>(column.size());
          column.emplace_back(other, 0.0);
        }
        column[place[other]].second += entry.value();
      }
    }
    std::ranges::sort(column);
    coarse.startVec(a);
    for (const auto& [row, value] : column) {
      place[row] = kNone;
      coarse.insertBackByOuterInner(a, row) = value;
    }
  }
  coarse.finalize();
  return coarse;
}

// Sets values to the result of a forward Gauss-Seidel pass from zeros.
void smooth_forward(const View& matrix, const Eigen::VectorXd& heat, Eigen::VectorXd& values) {
  values.resize(heat.size());
  for (Eigen::Index i = 0; i < heat.size(); ++i) {
    double sum = heat[i];
    Entries entry(matrix, i);
    for (; entry.row() < i; ++entry) sum -= entry.value() * values[entry.row()];
    values[i] = sum / entry.value();
  }
}

void smooth_backward(const View& matrix, const Eigen::VectorXd& heat, Eigen::VectorXd& values) {
  for (Eigen::Index i = heat.size(); i-- > 0;) {
    double sum = heat[i];
    double diagonal = 1;
    for (Entries entry(matrix, i); entry; ++entry) {
      if (entry.row() == i) {
        diagonal = entry.value();
      } else {
        sum -= entry.value() * values[entry.row()];
      }
    }
    values[i] = sum / diagonal;
  }
}

}  // namespace

Multigrid& Multigrid::compute(const Eigen::Ref<const Matrix>& matrix) {
  const auto view = [](const auto& of) {
    return View(of.rows(), of.cols(), of.nonZeros(), of.outerIndexPtr(), of.innerIndexPtr(), of.valuePtr());
  };
  levels_.clear();
  levels_.reserve(kMaxLevels);  // levels refer to the matrices of finer ones
  View finest = view(matrix);
  while (finest.cols() > kFewUnknowns && levels_.size() < kMaxLevels) {
    Aggregates aggregates = find_aggregates(finest);
    if (aggregates.count == 0) break;
    Level& level = levels_.emplace_back(Level{finest, {}, coarsen(finest, aggregates), {}, {}, {}, {}});
    level.aggregate = std::move(aggregates.of);
    new (&finest) View(view(level.coarse));
  }
  coarsest_.compute(levels_.empty() ? Matrix(matrix) : levels_.back().coarse);
  return *this;
}

Eigen::VectorXd Multigrid::solve(const Eigen::VectorXd& heat) const {
  stop_if_asked();
  Eigen::VectorXd values;
  cycle(0, heat, values);
  return values;
}

void Multigrid::cycle(std::size_t l, const Eigen::VectorXd& heat, Eigen::VectorXd& values) const {
  if (l == levels_.size()) {
    values = coarsest_.solve(heat);
    return;
  }
  const Level& level = levels_[l];
  const View& matrix = level.matrix;
  smooth_forward(matrix, heat, values);
  // After a pass from zeros, the residual is the contribution of later values.
  level.heat.setZero(level.coarse.cols());
  for (Eigen::Index i = 0; i < heat.size(); ++i) {
    const std::uint32_t aggregate = level.aggregate[static_cast<std::size_t>(i)];
    if (aggregate == kNone) continue;
    for (View::ReverseInnerIterator entry(matrix, i); entry.row() > i; --entry) {
      level.heat[aggregate] -= entry.value() * values[entry.row()];
    }
  }
  cycle(l + 1, level.heat, level.values);
  if (l + 1 < levels_.size()) {
    // A second correction, since aggregates follow smooth values only in steps.
    level.rest = level.heat;
    level.rest.noalias() -= level.coarse * level.values;
    cycle(l + 1, level.rest, level.correction);
    level.values += level.correction;
  }
  for (Eigen::Index i = 0; i < heat.size(); ++i) {
    const std::uint32_t aggregate = level.aggregate[static_cast<std::size_t>(i)];
    if (aggregate != kNone) values[i] += level.values[aggregate];
  }
  smooth_backward(matrix, heat, values);
}

}  // namespace pelt
