// SPDX-License-Identifier: MIT
// Skins of a glTF document, and the one space that they bring all meshes to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

#include "engine/model/gltf/document.h"
#include "engine/model/gltf/skeleton.h"

namespace pelt {

// A skin of the file, or, for a mesh without one, its node as the only joint.
struct GltfSkin {
  std::vector<std::uint32_t> joints;  // in the skeleton
  std::vector<glm::dmat4> inverse_binds;
  std::vector<double> weights;  // of each joint, summed over all vertices that the skin moves
  double extent = 0;            // largest coordinate of these vertices
  bool rigid = false;
  glm::dmat4 model_from_mesh{1.0};
  std::vector<std::uint32_t> bound_joints;  // in the model, of each joint
};

Result<std::vector<GltfSkin>> read_skins(const GltfDocument& document, std::span<const std::uint32_t> joint_of_node);

GltfSkin rigid_skin(std::uint32_t joint);

// Brings all meshes of the model from the spaces of their skins to model space at bind, makes the model's bound joints,
// and turns the indices of weights from joints of a skin into bound joints.
// Errors: what is then too far from the origin, or does not fit single precision.
Result<void> bring_to_model_space(const GltfDocument& document, const GltfSkeleton& skeleton, std::span<GltfSkin> skins,
                                  std::span<const std::size_t> skin_of_mesh, Model& model);

}  // namespace pelt
