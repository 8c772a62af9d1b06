// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/authoring/driver/folds/segment_field.h"

namespace pelt::folds {

// The skin round a hinge, and its two segments.
struct HingeSkin {
  std::vector<glm::dvec3> points;  // at bind
  std::vector<glm::uvec3> triangles;
  std::vector<double> soft;  // per point, 0 to 1; 0: it follows the pose only
  std::vector<bool> is_far;  // per point, whether it belongs to the far segment
  glm::dvec3 centre;         // the joint at bind
  double radius;             // of the limb at the joint, metres
  double gap;                // that contact keeps between the sides, metres; negative: an overlap
  double volume;             // fraction of the volume that the pose loses that returns
  SegmentField near, far;    // of the bone before the joint, and after it
};

// A pose of it.
struct HingePose {
  std::vector<glm::dvec3> points;
  std::vector<glm::dmat3> turns;         // of each point
  glm::dmat4 near_motion, far_motion;    // of the segments, from bind; rigid
  std::vector<glm::dvec3> displacement;  // of each point, to start from
};

// Finds the shape of skin at rest under springs: as rigid as possible (Sorkine & Alexa 2007), near the pose, with
// most of its volume at bind, and both segments on their sides of the surface that is equally deep in both.
class FoldSolver {
 public:
  explicit FoldSolver(const HingeSkin& skin);

  // Returns the displacement of each point.
  std::vector<glm::dvec3> solve(const HingePose& pose);

 private:
  using Matrix = Eigen::SparseMatrix<double>;
  using Vectors = Eigen::Matrix<double, Eigen::Dynamic, 3>;
  struct Edge {
    std::uint32_t to;
    double weight;
  };
  struct Contact {
    std::vector<bool> active;  // per free point
    Vectors targets;
  };
  void make_stiffness();
  double lead(const glm::dvec3& point, bool is_far, const HingePose& pose) const;
  Contact find_contact(const HingePose& pose, std::span<const glm::dvec3> normals) const;
  Vectors elastic_force(std::vector<glm::dmat3>& turns) const;
  double volume(std::span<const glm::dvec3> points, const glm::dvec3& centre) const;
  std::vector<glm::dvec3> point_normals() const;

  const HingeSkin& skin_;
  std::vector<std::uint32_t> free_;        // soft points
  std::vector<int> place_;                 // of each point among them, or -1
  std::vector<std::vector<Edge>> around_;  // of each point
  std::vector<double> areas_;
  double mean_stiffness_ = 0;
  Eigen::VectorXd hold_;  // stiffness towards the pose, per free point
  Matrix smooth_, stiffness_;
  Eigen::SimplicialLDLT<Matrix> factors_;
  std::vector<glm::dvec3> points_;         // while solving
  std::vector<glm::dvec3> posed_normals_;  // of each point
};

}  // namespace pelt::folds
