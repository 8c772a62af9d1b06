// SPDX-License-Identifier: MIT
// Reads the nodes of a glTF document as joints.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/result.h>
#include <pelt/skeleton.h>

#include "engine/authoring/model/gltf/check.h"
#include "engine/authoring/model/gltf/document.h"

namespace pelt {

struct GltfSkeleton {
  std::vector<std::uint32_t> joint_of_node;
  std::vector<glm::dmat4> local_rests;  // for each joint
  std::vector<glm::dmat4> rests;        // for each joint, in model space
};

// Appends a joint for every node to `skeleton`, which is empty.
Result<GltfSkeleton> read_joints(const GltfDocument& document, const NodeTree& tree, Skeleton& skeleton);

}  // namespace pelt
