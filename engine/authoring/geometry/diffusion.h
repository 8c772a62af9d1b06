// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/SparseCore>
#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

// Heat that flows along triangles: linear finite elements in space, implicit Euler steps in time. With the mass M, the
// stiffness K and the conductivity times the time of a step in K, a step takes values x to x' with (M + K) x' = M x.
class Diffusion {
 public:
  explicit Diffusion(std::size_t vertex_count)
      : masses_(vertex_count, 0.0), stiffness_(vertex_count, 0.0), is_fixed_(vertex_count, 0) {}

  // Adds a triangle. `t`: indices of its vertices, at `corners`. `conductivity`: times time, square metres.
  void add(const glm::uvec3& t, const std::array<glm::dvec3, 3>& corners, double conductivity);

  void fix(std::size_t vertex) { is_fixed_[vertex] = 1; }

  // Replaces the masses by this fraction of the stiffness at each vertex: values become harmonic between fixed ones.
  void hold_by(double fraction);

  // Does `steps` steps for each column of values, one per vertex: a single step by conjugate gradients from the current
  // values, several by one factorization. A vertex without mass keeps its value; if the system cannot be solved, all
  // do.
  void flow(std::span<std::vector<double>> columns, int steps = 1) const;

 private:
  // A triangle's part of K: for the edge from each corner a to the next one, b, K has the flux at aa and bb, and minus
  // the flux at ab and ba.
  struct Triangle {
    glm::uvec3 vertices;
    std::array<double, 3> fluxes;
  };

  Eigen::SparseMatrix<double> system(const Eigen::VectorXd& mass) const;

  std::vector<Triangle> triangles_;
  std::vector<double> masses_;     // M
  std::vector<double> stiffness_;  // sums of K's parts on the diagonal, without their signs
  std::vector<std::uint8_t> is_fixed_;
};

}  // namespace pelt
