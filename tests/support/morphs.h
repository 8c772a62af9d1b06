// SPDX-License-Identifier: MIT
// Morph targets on the skins of test models.
#pragma once

#include <cstdint>

#include <pelt/mesh.h>

namespace pelt::test {

// Gives a mesh `count` morph targets, "target0" and so on, of weight 0. Each moves a stretch of the mesh that is a
// third of its length along x, with a different start, and turns normals and tangents there.
void add_morph_targets(Mesh& mesh, std::uint32_t count);

// Returns the mesh with its targets added at these weights; directions keep unit length.
Mesh morphed(const Mesh& mesh, const float* weights);

}  // namespace pelt::test
