// SPDX-License-Identifier: MIT
// Removes influences and gradients of rows that have no visible effect.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/frame.h>
#include <pelt/mesh.h>
#include <pelt/sparse_rows.h>

namespace pelt::surface_ffd {

// Replaces palette entries by the first one with the same motion and adds up their weights and gradients, which changes
// no vertex. `same`: for entry `first_entry` + i, the least j for which `first_entry` + j always moves alike.
SparseRows merge_same_motion(const SparseRows& rows, std::span<const std::uint32_t> same, std::uint32_t first_entry);

// A mesh and its rows.
struct MeshRows {
  const Mesh* mesh;
  SparseRows* rows;
};

// Removes influences, and sets gradients to 0 at vertices whose normal turns by at most a degree for lack of them.
// `palettes`: one per pose. In every pose a vertex stays within 1e-4 of the mesh's size and 0.004 of its mean edge; its
// normal stays within a degree. The remaining influences get new weights, which move the vertex and the surface round
// it as nearly as before as they can. Vertices without a normal or an edge, and rows of more than 16 influences, stay
// as they are. Coincident vertices with rows that are alike, of one mesh or of several, get one row, for their mean
// edge and normal.
void reduce_rows(std::span<const MeshRows> meshes, std::span<const std::vector<Affine>> palettes, unsigned threads);

}  // namespace pelt::surface_ffd
