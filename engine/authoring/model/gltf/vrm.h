// SPDX-License-Identifier: MIT
// VRM, a glTF document of a person: reads the map of bones and the morph targets of expressions from the extension VRM
// (0.x) or VRMC_vrm (1.0). If a file has both, the latter is read.
#pragma once

#include <tiny_gltf.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

class GltfBudget;

// A morph target in an expression.
struct VrmBind {
  int node = -1;  // 1.0: the node whose mesh has the target; 0.x: -1
  int mesh = -1;  // 0.x: the mesh, at all of its nodes; -1: none
  int target = -1;
  float weight = 1;  // 0 to 1
};

struct VrmExpression {
  std::string name;  // 1.0's for presets; not unique
  bool binary = false;
  std::vector<VrmBind> binds;
};

struct VrmBone {
  std::string name;  // 1.0's; may be unknown
  int node = -1;     // -1: none
};

struct GltfVrm {
  std::vector<VrmBone> bones;
  std::vector<VrmExpression> expressions;  // presets come first
};

// `extensions`: those of the document's root, checked by the schema.
GltfVrm read_vrm(const nlohmann::json& extensions);

// Adds the human bones to the skeleton. Notes those with unknown names, and all but the first of a name or a joint.
void add_human_bones(std::span<const VrmBone> bones, std::span<const std::uint32_t> joint_of_node, Model& model);

// Adds the expressions to the model, whose meshes are complete. `mesh_of_node`: the model's mesh or -1. A name that an
// earlier expression has gets a number, and '/', which names of other controls have, becomes '_'. Notes binds of
// missing morph targets, and expressions without any target left.
Result<void> add_expressions(std::span<const VrmExpression> expressions, const tinygltf::Model& gltf,
                             std::span<const std::int32_t> mesh_of_node, GltfBudget& budget, Model& model);

}  // namespace pelt
