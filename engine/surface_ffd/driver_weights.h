// SPDX-License-Identifier: MIT
// Gives weights to a driver that has none of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <pelt/mesh.h>
#include <pelt/result.h>
#include <pelt/sparse_rows.h>
#include <pelt/tools/triangle_tree.h>

#include "engine/deformer/builder.h"
#include "engine/surface_ffd/driver_mesh.h"

namespace pelt::surface_ffd {

inline constexpr std::size_t kMaxTransferred = 8;  // most joints that a vertex follows after its weights were spread

// Returns the row of a vertex.
using RowOfVertex = std::function<std::span<const Influence>(std::uint32_t)>;

// Returns for each point the weights of the closest point of a surface; `weights` gives the rows of its vertices.
SparseRows closest_weights(const TriangleTree& surface, const RowOfVertex& weights, std::span<const glm::vec3> points,
                           unsigned threads);

// Returns the painted weights of the closest points of the targets, over the model's bound joints. Errors: no target
// has weights.
Result<SparseRows> transferred_weights(const DriverSource& driver, const DeformerInput& input);

// Returns the driver's own weights, spread by `spread` radii (DriverParameters).
SparseRows spread_along(const Mesh& driver, std::optional<float> spread, const DeformerInput& input);

// Returns weights that bind each vertex rigidly to the closest limb (Singh & Kokkevis 2000, section 4). Errors: there
// is no limb.
Result<SparseRows> closest_limb_weights(const Mesh& driver, const DeformerInput& input);

}  // namespace pelt::surface_ffd
