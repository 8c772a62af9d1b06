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

// Returns the rows with gradients from the weights around each vertex. Adds influences of weight 0 for palette entries
// that only neighbours have. `rows` and `surface` must be of the same vertices. Neighbours without a row count as if
// they had the vertex's own.
SparseRows with_gradients(const SparseRows& rows, const SurfaceGradient& surface);

// Returns gradients, one per influence, for rows that may not have more influences. Each palette entry has a position
// in model space, `place`. Gradients of entries that only neighbours have are distributed over the row's own, so that
// the sum of weights and the sum of weights times positions change as with all entries. Weights may have either sign.
std::vector<glm::vec3> gradients_by_place(const SparseRows& rows, const SurfaceGradient& surface,
                                          const std::function<glm::vec3(std::uint32_t entry)>& place, unsigned threads);

// Returns how much of its gradients each vertex keeps, 0 to 1: less if the painting changes much from vertex to vertex.
// Bends have few edges there, and exact normals show the folds that smooth shading hides.
std::vector<float> kept_gradients(const SparseRows& painting, const SurfaceGradient& surface);

}  // namespace pelt
