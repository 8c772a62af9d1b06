// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/model.h>
#include <pelt/sparse_rows.h>

#include "engine/authoring/geometry/spread_weights.h"

namespace pelt::from_skin {

// Returns the width of the transition of weights at each bound joint: `radii`; none: by the kind of the joint, limited
// by the adjacent bones, 3 radii for ball joints and unknown ones, 1 for hinges, so that an elbow stays pointed. Twist
// helpers, facial joints and scaled joints stay as painted.
std::vector<Transition> joint_transitions(const Model& model, std::optional<float> radii);

inline constexpr std::size_t kMaxTransferred = 8;  // most joints that a vertex follows after its weights were spread

// Returns the mesh's own weights, spread by `spread` radii (DriverParameters).
SparseRows spread_along(const Mesh& mesh, std::optional<float> spread, const Model& model, unsigned threads);

}  // namespace pelt::from_skin
