// SPDX-License-Identifier: MIT
// Weights by which linear blend moves a vertex as its deformer does.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <utility>
#include <vector>

#include <pelt/sparse_rows.h>

#include "engine/authoring/bind/fit_samples.h"

namespace pelt {

// Fits one vertex after another. Each thread has one of its own.
class VertexFitter {
 public:
  // `influences`: joints that a vertex may have. `scale`: size of the character.
  VertexFitter(const FitSamples& samples, unsigned influences, double scale);

  // Replaces `row` with the weights of a vertex. `vertex`: its index in the character. `painted`: its weights over the
  // joints in the model, or none.
  void fit(std::size_t vertex, glm::vec3 rest, std::span<const Influence> painted, std::vector<WeightedElement>& row);

 private:
  // Chooses the candidates: the strongest of `painted`, at most two thirds, then the joints that alone come nearest to
  // the vertex's positions.
  void find_candidates(std::size_t vertex, glm::vec3 rest, std::span<const Influence> painted);

  const FitSamples& samples_;
  unsigned influences_;
  double held_;  // metres, times the root of the number of poses
  std::vector<std::size_t> rank_poses_;
  std::vector<std::uint32_t> candidates_;
  std::vector<std::pair<float, std::uint32_t>> ranked_;
  std::vector<Influence> strongest_;
  Eigen::MatrixXd apart_;  // for each candidate, M p - v' at every pose, then its pull to the vertex's own weights
};

}  // namespace pelt
