// SPDX-License-Identifier: MIT
// The skin that follows each joint, and the ends of bones that follow from it.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/authoring/chain/joint_clusters.h"

namespace pelt::chain {

struct SkinPoint {
  glm::dvec3 offset;  // from JointCluster::position, metres
  double weight;
};

// Returns the vertices that follow each cluster, by the sum of the weights of its joints. Facial joints count as the
// joint that carries them.
std::vector<std::vector<SkinPoint>> skin_of_clusters(const Model& model, std::span<const Mesh* const> skins,
                                                     const JointClusters& tree);

// Splits a root of several joints that coincide: if the skin of the upper joints lies on the other side, they become a
// cluster with its own bone, so that the skin on each side follows as painted. Joints up to `together` metres apart
// coincide.
void split_roots(const Model& model, std::span<const Mesh* const> skins, double together, JointClusters& tree);

// Sets the tips of joints without children to the end of their skin, or to the end node there. If skin reaches beyond
// all joints below, adds a child without joints. Skin that reaches at most `together` metres makes no tip.
void find_tips(const Model& model, std::span<const Mesh* const> skins, std::span<const glm::dmat4> bind,
               double together, JointClusters& tree);

}  // namespace pelt::chain
