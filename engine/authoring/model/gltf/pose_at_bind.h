// SPDX-License-Identifier: MIT
// The pose in which vertices of a glTF document are stored.
#pragma once

#include <glm/glm.hpp>
#include <span>

#include <pelt/model.h>

#include "engine/authoring/model/gltf/skeleton.h"
#include "engine/authoring/model/gltf/skin.h"

namespace pelt {

// Returns true if floats keep the digits of a mesh that `m` moves, but for six bits. `extent`: its largest coordinate.
bool keeps_digits(const glm::dmat4& m, double extent);

// Returns the rest pose, but for joints that would cost their meshes digits: hidden by a scale of 0 or nearly 0, they
// have the scale at which clips show them, or 1; far from the origin, they are moved to it. `model` has its clips.
GltfSkeleton pose_at_bind(const GltfSkeleton& rest, std::span<const GltfSkin> skins, const Model& model);

}  // namespace pelt
