// SPDX-License-Identifier: MIT
// Fits the weights of linear blend to cached vertices.
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/model.h>

#include "engine/authoring/learn/poses.h"

namespace pelt::learning {

using WeightRows = std::vector<std::vector<Influence>>;  // by vertex, numbered as Poses::truth; over joints()

// Linear blend in which a vertex follows each joint from a point of its own: x = sum over j of T_j (w_j p + r_j),
// animation space (Merry et al. 2006, section 3). Smoothing, and most of what depends linearly on the rotations of
// joints, has this form. The points are made of weights: a joint has copies T_j translate(d), which move what is a step
// d away from p. Weights of copies are at least 0 and sum to 1, and their steps d sum to 0, so that the skin rests as
// it did.
class WeightFit {
 public:
  // Returns whether linear blend by painted weights is all that moves the skins: a precondition.
  static bool can_fit(const CharacterData& base);
  // `twin`: Regions::twin. `within`: the error to reach, metres. The poses must outlive this. `threads`: 0: all CPUs.
  WeightFit(const Character& base, const Poses& poses, std::span<const std::uint32_t> twin, double within,
            unsigned threads);

  // Returns weights with the least squared error in some poses, by non-negative least squares over the joints that a
  // vertex or its neighbours follow (Le & Deng 2012, section 4.1), less those influences without which the error hardly
  // grows. `lacking`: cached less painted positions, by pose, then by vertex. `unexplained`: by vertex; those with 0
  // keep their painted weights.
  WeightRows fit(std::span<const std::uint32_t> train, std::span<const glm::vec3> lacking,
                 std::span<const char> unexplained) const;

  const WeightRows& painted() const { return painted_; }
  // Returns rows with the painted weights at vertices that gain nothing and, until the rows add at most `bytes`, at
  // those that gain least. `gained`: by vertex.
  WeightRows kept(const WeightRows& rows, std::span<const double> gained, std::uint64_t bytes) const;
  // The bytes that rows, and the copies of joints that they use, add to the painted ones.
  std::uint64_t bytes_of(const WeightRows& rows) const;

  // Adds what changes in a pose if `rows` replace the painted weights: of the vertices at rest and of what morph
  // targets add to them. `motions` receives derivatives of positions by the rest positions.
  void move(const WeightRows& rows, const Pose& pose, std::span<glm::vec3> positions,
            std::span<glm::mat3> motions) const;

  // Gives the weights to a model and its levels, with the copies of joints that they use. Precondition: the character
  // is bound from the model.
  void give(const WeightRows& rows, Model& model) const;

 private:
  void find_candidates(std::span<const std::uint32_t> twin);
  // Sets the rows of vertices whose candidates are `joints`.
  void fit_vertices(std::span<const std::uint32_t> joints, std::span<const std::uint32_t> vertices,
                    std::span<const std::uint32_t> poses, std::span<const glm::vec3> lacking, WeightRows& rows) const;
  // Returns the upper three rows of joints' transforms from the model's bind: poses below each other, joints side by
  // side.
  Eigen::MatrixXd transforms_of(std::span<const std::uint32_t> joints, std::span<const std::uint32_t> poses) const;

  Character base_;
  const Poses& poses_;
  double within_;
  unsigned threads_;
  float step_;                      // to a copy, metres
  std::vector<BoundJoint> joints_;  // the character's, then the copies
  std::vector<glm::vec3> rest_;
  WeightRows painted_;
  std::vector<std::vector<std::uint32_t>> candidates_;  // by vertex: joints without copies, ascending
};

}  // namespace pelt::learning
