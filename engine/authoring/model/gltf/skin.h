// SPDX-License-Identifier: MIT
// Skins of a glTF document, and the common space of all meshes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

#include "engine/authoring/model/gltf/document.h"
#include "engine/authoring/model/gltf/skeleton.h"

namespace pelt {

// A skin of the file; for a mesh without one, a skin with the mesh's node as the only joint.
struct GltfSkin {
  std::vector<std::uint32_t> joints;  // indices in the skeleton
  std::vector<glm::dmat4> inverse_binds;
  std::vector<double> weights;  // of each joint, summed over all vertices that follow the skin
  double extent = 0;            // largest coordinate of these vertices
  bool rigid = false;
  glm::dmat4 model_from_mesh{1.0};
  std::vector<std::uint32_t> bound_joints;  // index in the model's bound joints, for each joint
};

Result<std::vector<GltfSkin>> read_skins(const GltfDocument& document, std::span<const std::uint32_t> joint_of_node);

GltfSkin rigid_skin(std::uint32_t joint);

// Brings all meshes of the model from the spaces of their skins to model space at bind, makes the model's bound joints,
// and changes the indices of weights from joints of a skin to bound joints. Errors: positions that are then too far
// from the origin, or do not fit single precision.
Result<void> bring_to_model_space(const GltfDocument& document, const GltfSkeleton& skeleton, std::span<GltfSkin> skins,
                                  std::span<const std::size_t> skin_of_mesh, Model& model);

// Notes an unlikely size of the meshes of a file with skins (note_size), without their levels. Error: all points have
// one position. Accessors without a buffer do; so may a node's scale and rounding of floats. Tolerances and distances
// relative to the size need one.
Result<void> check_size(const GltfDocument& document, Model& model);

}  // namespace pelt
