// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>

#include <pelt/mesh.h>
#include <pelt/model.h>
#include <pelt/sparse_rows.h>

namespace pelt::from_skin {

inline constexpr std::size_t kMaxTransferred = 8;  // most joints that a vertex follows after its weights were spread

// Returns the mesh's own weights, spread by `spread` radii (DriverParameters).
SparseRows spread_along(const Mesh& mesh, std::optional<float> spread, const Model& model, unsigned threads);

}  // namespace pelt::from_skin
