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

// Returns how wide the passage of weights to each bound joint is to be: `radii` if given, else by the kind of the
// joint, as far as the bones beside it have room. A ball joint or one of no kind gets 3 radii, a hinge 1, so that an
// elbow keeps its point. Twist helpers, patches of skin and joints that are scaled stay as painted.
std::vector<Passage> joint_passages(const Model& model, std::optional<float> radii);

inline constexpr std::size_t kMaxTransferred = 8;  // most joints that a vertex follows after its weights were spread

// Returns the mesh's own weights, spread by `spread` radii (DriverParameters).
SparseRows spread_along(const Mesh& mesh, std::optional<float> spread, const Model& model, unsigned threads);

}  // namespace pelt::from_skin
