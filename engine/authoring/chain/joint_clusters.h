// SPDX-License-Identifier: MIT
// The joints that curves run through, as a tree. Joints at the same position share a cluster.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>

namespace pelt::chain {

inline constexpr std::uint32_t kNone = 0xffffffff;

// The position of one joint, or of several that coincide. A link is a bone to the parent or to a child.
struct JointCluster {
  std::vector<std::uint32_t> joints;  // ascending
  std::uint32_t lowest = 0;           // joint that carries the end of a curve here
  glm::dvec3 position{0.0};           // model space at bind
  std::uint32_t parent = kNone;       // index in JointClusters::clusters
  std::vector<std::uint32_t> children;
  std::optional<glm::dvec3> tip;  // end of the bone of a joint without children, model space at bind

  // Returns the joint that names the cluster; a tip, which has no joint, is named after the one above it.
  std::uint32_t first_joint() const { return joints.empty() ? lowest : joints.front(); }
  std::size_t link_count() const { return children.size() + (parent == kNone ? 0 : 1); }
};

struct JointClusters {
  std::vector<JointCluster> clusters;
  std::vector<std::uint32_t> of_joint;  // index in `clusters` of each joint; kNone: no automatic curve runs through it
  std::vector<std::string> notes;
};

// Returns the name of first_joint().
const std::string& name_of(const Model& model, const JointCluster& cluster);

// Returns the meshes of `meshes` that have weights; if there are none, all meshes of the model that have weights.
std::vector<const Mesh*> find_skins(const Model& model, std::span<const std::uint32_t> meshes);

// Returns true for the joints that count by the rules in chains.h: facial joints and a root on the ground do not.
// Appends to `notes`. `bind`: as for find_joint_clusters().
std::vector<bool> find_body(const Model& model, std::span<const Mesh* const> skins, std::span<const glm::dmat4> bind,
                            std::vector<std::string>& notes);

// Finds the joints that count, coincident joints, twist helpers and tips, by the rules in chains.h. `bind` is the
// result of matrices_at_bind().
JointClusters find_joint_clusters(const Model& model, std::span<const Mesh* const> skins,
                                  std::span<const glm::dmat4> bind);

// Returns the joint at `p` that turns the bone to its child `child`.
std::uint32_t turning_joint(const Model& model, const JointClusters& tree, std::uint32_t p, std::uint32_t child);

}  // namespace pelt::chain
