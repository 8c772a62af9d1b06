// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/diffusion.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/authoring/geometry/multigrid.h"

namespace pelt {
namespace {

constexpr double kTolerance = 1e-5;  // of a single step
constexpr int kMaxIterations = 400;
// Heat crosses more edges the finer the mesh is, and plain conjugate gradients advance by one edge per step: with a
// million vertices, kMaxIterations steps end far from the solution.
constexpr std::size_t kManyVertices = 20000;

// Replaces each column by solve(column), if that is finite.
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
  Triangle& triangle = triangles_.emplace_back(Triangle{t, {}});
  for (std::size_t corner = 0; corner < 3; ++corner) {
    const std::size_t next = (corner + 1) % 3;
    const std::uint32_t a = t[static_cast<int>(corner)];
    const glm::dvec3& opposite = corners[(corner + 2) % 3];
    const double flux =
        0.5 * conductivity * glm::dot(corners[corner] - opposite, corners[next] - opposite) / twice_area;
    triangle.fluxes[corner] = flux;
    stiffness_[a] += std::abs(flux);
    masses_[a] += twice_area / 6;
  }
}

void Diffusion::hold_by(double fraction) {
  for (std::size_t v = 0; v < masses_.size(); ++v) masses_[v] = fraction * stiffness_[v];
}

// Returns M + K, without the links of vertices to fixed ones, whose rows become those of the identity.
Eigen::SparseMatrix<double> Diffusion::system(const Eigen::VectorXd& mass) const {
  // The triangles at each vertex, ascending.
  std::vector<std::uint32_t> begins(masses_.size() + 1, 0);
  const auto each_corner = [&](const auto& visit) {
    for (std::uint32_t i = 0; i < triangles_.size(); ++i) {
      const glm::uvec3& t = triangles_[i].vertices;
      visit(t.x, i);
      if (t.y != t.x) visit(t.y, i);
      if (t.z != t.x && t.z != t.y) visit(t.z, i);
    }
  };
  each_corner([&](std::uint32_t v, std::uint32_t) { ++begins[v + 1]; });
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<std::uint32_t> around(begins.back());
  std::vector<std::uint32_t> ends(begins.begin(), begins.end() - 1);
  each_corner([&](std::uint32_t v, std::uint32_t i) { around[ends[v]++] = i; });

  const auto count = static_cast<Eigen::Index>(masses_.size());
  Eigen::SparseMatrix<double> matrix(count, count);
  matrix.reserve(count + static_cast<Eigen::Index>(around.size()));
  std::vector<std::pair<std::uint32_t, double>> row;  // by column
  const auto add = [&](std::uint32_t column, double value) {
    const auto known = std::ranges::find(row, column, &std::pair<std::uint32_t, double>::first);
    if (known == row.end()) {
      row.emplace_back(column, value);
    } else {
      known->second += value;
    }
  };
  for (std::uint32_t v = 0; v < masses_.size(); ++v) {
    row.assign(1, {v, mass[v]});
    for (std::uint32_t k = begins[v]; k < begins[v + 1] && !is_fixed_[v]; ++k) {
      const Triangle& triangle = triangles_[around[k]];
      for (int corner = 0; corner < 3; ++corner) {
        const std::uint32_t a = triangle.vertices[corner];
        const std::uint32_t b = triangle.vertices[(corner + 1) % 3];
        const double flux = triangle.fluxes[static_cast<std::size_t>(corner)];
        if (a == v) add(v, flux);
        if (b == v) add(v, flux);
        if (a == v && !is_fixed_[b]) add(b, -flux);
        if (b == v && !is_fixed_[a]) add(a, -flux);
      }
    }
    std::ranges::sort(row);
    matrix.startVec(v);
    for (const auto& [column, value] : row) matrix.insertBackByOuterInner(v, column) = value;
  }
  matrix.finalize();
  return matrix;
}

void Diffusion::flow(std::span<std::vector<double>> columns, int steps) const {
  if (masses_.empty()) return;
  using Matrix = Eigen::SparseMatrix<double>;
  Eigen::VectorXd mass(static_cast<Eigen::Index>(masses_.size()));
  for (std::size_t v = 0; v < masses_.size(); ++v) {
    mass[static_cast<Eigen::Index>(v)] = is_fixed_[v] || masses_[v] == 0 ? 1.0 : masses_[v];
  }
  const Matrix matrix = system(mass);
  const auto heat_of = [&](const Eigen::VectorXd& values) {
    Eigen::VectorXd heat = mass.cwiseProduct(values);
    for (const Triangle& triangle : triangles_) {
      for (int corner = 0; corner < 3; ++corner) {
        const std::uint32_t a = triangle.vertices[corner];
        const std::uint32_t b = triangle.vertices[(corner + 1) % 3];
        const double flux = triangle.fluxes[static_cast<std::size_t>(corner)];
        if (!is_fixed_[a] && is_fixed_[b]) heat[a] += flux * values[b];
        if (!is_fixed_[b] && is_fixed_[a]) heat[b] += flux * values[a];
      }
    }
    return heat;
  };
  const auto step_once = [&](auto solver) {
    solver.setTolerance(kTolerance);
    solver.setMaxIterations(kMaxIterations);
    solver.compute(matrix);
    replace_each(columns,
                 [&](Eigen::VectorXd& values) { values = solver.solveWithGuess(heat_of(values), values).eval(); });
  };
  constexpr int kWhole = Eigen::Lower | Eigen::Upper;
  if (steps == 1 && masses_.size() < kManyVertices) {
    step_once(Eigen::ConjugateGradient<Matrix, kWhole>());
  } else if (steps == 1) {
    step_once(Eigen::ConjugateGradient<Matrix, kWhole, Multigrid>());
  } else if (const Eigen::SimplicialLDLT<Matrix> solver(matrix); solver.info() == Eigen::Success) {
    replace_each(columns, [&](Eigen::VectorXd& values) {
      for (int i = 0; i < steps; ++i) values = solver.solve(heat_of(values)).eval();
    });
  }
}

}  // namespace pelt
