// SPDX-License-Identifier: MIT
// A preconditioner of conjugate gradients for heat on surfaces: with it, the number of steps does not grow with the
// mesh.
#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cstdint>
#include <vector>

namespace pelt {

// One symmetric cycle through levels of a symmetric positive definite matrix: forward Gauss-Seidel, a correction from
// the coarser level, backward Gauss-Seidel. The unknowns of a coarser level are aggregates, of up to eight unknowns
// that strong links join; the coarsest level is factorized. Has the interface of Eigen's preconditioners.
class Multigrid {
 public:
  using Matrix = Eigen::SparseMatrix<double>;
  using View = Eigen::Map<const Matrix>;

  // Keeps a reference to the entries of the matrix.
  Multigrid& compute(const Eigen::Ref<const Matrix>& matrix);
  Eigen::VectorXd solve(const Eigen::VectorXd& heat) const;
  Eigen::ComputationInfo info() const { return coarsest_.info(); }

 private:
  struct Level {
    View matrix;
    std::vector<std::uint32_t> aggregate;  // of each unknown; kNone: it has no link, and needs no other
    Matrix coarse;                         // the matrix of the coarser level
    mutable Eigen::VectorXd heat, values, rest, correction;  // of the coarser level
  };
  void cycle(std::size_t level, const Eigen::VectorXd& heat, Eigen::VectorXd& values) const;

  std::vector<Level> levels_;
  Eigen::SimplicialLDLT<Matrix> coarsest_;
};

}  // namespace pelt
