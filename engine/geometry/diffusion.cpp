// SPDX-License-Identifier: MIT
#include "engine/geometry/diffusion.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <cmath>

namespace pelt {
namespace {

constexpr double kTolerance = 1e-5;  // of a single step
constexpr int kMaxIterations = 400;

// Replaces each column by what solve(values) makes of it, if that is finite.
template <class Solve>
void replace_each(std::span<std::vector<double>> columns, const Solve& solve) {
  for (std::vector<double>& column : columns) {
    Eigen::Map<Eigen::VectorXd> before(column.data(), static_cast<Eigen::Index>(column.size()));
    Eigen::VectorXd after = before;
    solve(after);
    if (after.allFinite()) before = after;
  }
}

}  // namespace

void Diffusion::add(const glm::uvec3& t, const std::array<glm::dvec3, 3>& corners, double conductivity) {
  const double twice_area = glm::length(glm::cross(corners[1] - corners[0], corners[2] - corners[0]));
  if (!(twice_area > 0)) return;
  for (std::size_t corner = 0; corner < 3; ++corner) {
    const std::size_t next = (corner + 1) % 3;
    const std::uint32_t a = t[static_cast<int>(corner)];
    const std::uint32_t b = t[static_cast<int>(next)];
    const glm::dvec3& opposite = corners[(corner + 2) % 3];
    const double flux =
        0.5 * conductivity * glm::dot(corners[corner] - opposite, corners[next] - opposite) / twice_area;
    entries_.insert(entries_.end(), {{a, a, flux}, {b, b, flux}, {a, b, -flux}, {b, a, -flux}});
    stiffness_[a] += std::abs(flux);
    masses_[a] += twice_area / 6;
  }
}

void Diffusion::hold_by(double fraction) {
  for (std::size_t v = 0; v < masses_.size(); ++v) masses_[v] = fraction * stiffness_[v];
}

void Diffusion::flow(std::span<std::vector<double>> columns, int steps) const {
  if (masses_.empty()) return;
  using Matrix = Eigen::SparseMatrix<double>;
  const auto count = static_cast<Eigen::Index>(masses_.size());
  Eigen::VectorXd mass(count);
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries_.size() + masses_.size());
  for (std::size_t v = 0; v < masses_.size(); ++v) {
    const auto i = static_cast<Eigen::Index>(v);
    mass[i] = is_fixed_[v] || masses_[v] == 0 ? 1.0 : masses_[v];
    triplets.emplace_back(i, i, mass[i]);
  }
  for (const Entry& entry : entries_) {
    if (!is_fixed_[entry.row] && !is_fixed_[entry.column]) triplets.emplace_back(entry.row, entry.column, entry.value);
  }
  Matrix matrix(count, count);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  const auto heat_of = [&](const Eigen::VectorXd& values) {
    Eigen::VectorXd heat = mass.cwiseProduct(values);
    for (const Entry& entry : entries_) {
      if (!is_fixed_[entry.row] && is_fixed_[entry.column]) heat[entry.row] -= entry.value * values[entry.column];
    }
    return heat;
  };
  if (steps == 1) {
    Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper> solver;
    solver.setTolerance(kTolerance);
    solver.setMaxIterations(kMaxIterations);
    solver.compute(matrix);
    replace_each(columns,
                 [&](Eigen::VectorXd& values) { values = solver.solveWithGuess(heat_of(values), values).eval(); });
  } else if (const Eigen::SimplicialLDLT<Matrix> solver(matrix); solver.info() == Eigen::Success) {
    replace_each(columns, [&](Eigen::VectorXd& values) {
      for (int i = 0; i < steps; ++i) values = solver.solve(heat_of(values)).eval();
    });
  }
}

}  // namespace pelt
