// SPDX-License-Identifier: MIT
// Weights of points from a skin's closest points.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <span>

#include <pelt/sparse_rows.h>
#include <pelt/tools/triangle_tree.h>

namespace pelt {

// Returns the row of weights of a vertex of the surface.
using RowOfVertex = std::function<std::span<const Influence>(std::uint32_t)>;

// Returns for each point the weights of the closest point of the surface, interpolated over its triangle.
// `threads`: 0 for all cores.
SparseRows closest_weights(const TriangleTree& surface, const RowOfVertex& weights, std::span<const glm::vec3> points,
                           unsigned threads);

}  // namespace pelt
