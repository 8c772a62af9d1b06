// SPDX-License-Identifier: MIT
// Gradients of weights that are known at the vertices of a mesh alone (SparseRows::gradients).
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/sparse_rows.h>

#include "engine/geometry/surface_gradient.h"

namespace pelt {

// The rows with gradients, by the weights round each vertex. A row gets entries of weight 0 for what its neighbours
// have and it has not. `rows` and `surface`: of the same vertices. Neighbours without a row count as alike.
SparseRows with_gradients(const SparseRows& rows, const SurfaceGradient& surface);

// The same gradients, one an influence, for rows that get no more entries, where an entry stands for a place, in the
// model's space: what such entries would have had goes to those that are there, so that the sum of weights and that of
// weights times places change as they do with all. Weights may have either sign.
std::vector<glm::vec3> gradients_by_place(const SparseRows& rows, const SurfaceGradient& surface,
                                          const std::function<glm::vec3(std::uint32_t entry)>& place, unsigned threads);

}  // namespace pelt
