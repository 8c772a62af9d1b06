// SPDX-License-Identifier: MIT
// The pose in which vertices of a glTF document are stored.
#pragma once

#include <glm/glm.hpp>
#include <span>

#include <pelt/model.h>

#include "engine/authoring/model/gltf/skeleton.h"
#include "engine/authoring/model/gltf/skin.h"

namespace pelt {

// Returns by how much floats lose digits of a mesh that `m` moves: 2 for one bit. `extent`: its largest coordinate.
double lost_digits(const glm::dmat4& m, double extent);

// Returns true if all but six bits are kept.
inline bool keeps_digits(const glm::dmat4& m, double extent) { return lost_digits(m, extent) <= 64; }

// Returns the rest pose, but for joints that would cost their meshes digits: hidden by a scale of 0 or nearly 0, they
// have the scale at which clips show them, or 1; far from the origin, they are moved to it. `model` has its clips.
GltfSkeleton pose_at_bind(const GltfSkeleton& rest, std::span<const GltfSkin> skins, const Model& model);

}  // namespace pelt
