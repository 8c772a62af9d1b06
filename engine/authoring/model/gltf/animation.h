// SPDX-License-Identifier: MIT
// Reads animations of a glTF document as clips.
#pragma once

#include <cstdint>
#include <span>

#include <pelt/model.h>

#include "engine/authoring/model/gltf/budget.h"
#include "engine/authoring/model/gltf/document.h"

namespace pelt {

// Appends a clip for every animation that moves part of the model. `joint_of_node` and `mesh_of_node` map each node to
// a joint and a mesh of the model; -1: the node shows no mesh.
Result<void> read_clips(const GltfDocument& document, std::span<const std::uint32_t> joint_of_node,
                        std::span<const std::int32_t> mesh_of_node, GltfBudget& budget, Model& model);

}  // namespace pelt
