// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/sparse_rows.h>

namespace pelt {

// Fills values of a mesh's vertices smoothly from those of other vertices, as inpaint() does.
class Inpainting {
 public:
  Inpainting(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
             const std::vector<bool>& is_known, double length);

  // Replaces the unknown values; `values`: one per vertex. Vertices that triangles connect to no known one keep theirs.
  void fill(std::span<double> values) const;

  // Returns the vertices whose values fill() replaces, ascending.
  const std::vector<std::uint32_t>& filled() const { return filled_; }

 private:
  std::vector<std::uint32_t> filled_;
  Eigen::SparseMatrix<double> known_;  // what the value of each vertex adds to the equations
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver_;
};

// Fills the empty rows of a mesh's weights smoothly from the others, which stay (Abdrashitov, Raichstat, Monsen and
// Hill 2023, *Robust Skin Weights Transfer via Weight Inpainting*). `triangles`: over welded vertices. `length`,
// metres: filled weights continue the slope of the known ones up to about this distance, and are harmonic beyond.
// Vertices that triangles connect to no known row stay empty. The result does not depend on the number of threads (0:
// all CPUs).
SparseRows inpaint(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles, const SparseRows& known,
                   double length, unsigned threads);

}  // namespace pelt
