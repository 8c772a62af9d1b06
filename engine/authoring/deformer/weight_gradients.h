// SPDX-License-Identifier: MIT
// Estimates gradients of weights that are known only at the vertices of a mesh (SparseRows::gradients).
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <vector>

#include <pelt/sparse_rows.h>

#include "engine/character/rows/surface_gradient.h"

namespace pelt {

// Returns the rows with gradients from the weights round each vertex. A row gets influences of weight 0 for palette
// entries that only its neighbours have. `rows` and `surface` are of the same vertices. Neighbours without a row count
// as if they had the vertex's own.
SparseRows with_gradients(const SparseRows& rows, const SurfaceGradient& surface);

// Returns gradients, one for each influence, for rows that may not get more influences, where each palette entry stands
// for a place in model space. The gradients of entries that only neighbours have are distributed over the row's own, so
// that the sum of weights and the sum of weights times places change as they would with all entries. Weights may have
// either sign.
std::vector<glm::vec3> gradients_by_place(const SparseRows& rows, const SurfaceGradient& surface,
                                          const std::function<glm::vec3(std::uint32_t entry)>& place, unsigned threads);

}  // namespace pelt
